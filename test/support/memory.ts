import { defaultGrant } from '../../src/grant/index.ts';
import {
  type CommitSha,
  fail,
  ok,
  type Problem,
  problem,
  type RefName,
  type RepoPath,
  type Result,
} from '../../src/kernel/index.ts';
import type { Deps, PipelineOptions } from '../../src/pipeline/index.ts';
import type {
  Application,
  CheckConclusion,
  CommitStatus,
  DeliveryRecord,
  DomainClaim,
  ForgeDeployment,
  GitRepository,
  GitSource,
  Job,
  OpenPullRequest,
  PullRequest,
  PullRequestPlan,
  Release,
  RequestComment,
  Store,
  WrittenStatus,
} from '../../src/ports/index.ts';
import { roomyCapacity } from './capacity.ts';
import { type MemoryCertificates, memoryCertificates, memoryDns, memoryDomains } from './endpoints.ts';
import { memoryCollection } from './memory-collection.ts';
import { memoryHooks } from './memory-hooks.ts';
import { memoryPeople } from './people.ts';

export { memoryCollection } from './memory-collection.ts';

export const SHA = (n: number): CommitSha => n.toString(16).padStart(40, '0') as CommitSha;
export const MAIN = 'refs/heads/main' as RefName;
export const PULL = 'refs/pull/7/head' as RefName;
export const SOURCE = 'acme.production.shop';

/** The pipeline's world in memory: a ref with files by commit, a forge that records, queues that remember. */
export type Memory = {
  readonly deps: Deps;
  readonly repositories: ReturnType<typeof memoryCollection<GitRepository>>;
  readonly sources: ReturnType<typeof memoryCollection<GitSource>>;
  readonly applications: ReturnType<typeof memoryCollection<Application>>;
  readonly releases: ReturnType<typeof memoryCollection<Release>>;
  readonly plans: ReturnType<typeof memoryCollection<PullRequestPlan>>;
  readonly domains: ReturnType<typeof memoryCollection<DomainClaim>>;
  readonly certificates: MemoryCertificates;
  /** TXT records by name. */
  readonly records: Map<string, string[]>;
  readonly jobs: Job[];
  readonly posted: CommitStatus[];
  /** The comments written, by marker and body. */
  readonly comments: { readonly marker: string; readonly body: string; readonly known: string | undefined }[];
  /** Names of secrets whose existence was asked for. */
  readonly askedSecrets: string[];
  /** What the forge says of pull request 7; `undefined` when there is none. */
  pull: PullRequest | undefined;
  open: { readonly requests: readonly OpenPullRequest[]; readonly complete: boolean };
  /** The head at the Git server. */
  pullHead: CommitSha | undefined;
  /** The specification by commit, and other files by `commit:path`. */
  readonly files: Map<string, string>;
  /** What the Git server answers for a path instead. */
  readonly unreadable: Map<string, Problem>;
  readonly secrets: Set<string>;
  /** Values of secrets that came from env files, by name. */
  readonly imported: Map<string, string>;
  /** What the forge answers to a status it took. */
  forgeSays: WrittenStatus;
  readonly deployed: ForgeDeployment[];
  readonly deploymentAnswers: Result<string>[];
  mentions: { commit: string; at: string }[];
  /** The comments that deliveries mention, by id. */
  commented: { commit: string; at: string }[];
  /** The history of deliveries, newest first. */
  readonly delivered: DeliveryRecord[];
  head: CommitSha | undefined;
  changed: ReadonlySet<RepoPath> | undefined;
  now: Date;
  /** Answers the next status writes; success when empty. */
  readonly forgeAnswers: Result<void>[];
  /** What commits say. */
  readonly messages: Map<string, string>;
  /** What other programs report on every commit. */
  readonly checks: Map<string, CheckConclusion>;
  /** Comments on pull request 7 by id. */
  readonly remarks: Map<string, RequestComment>;
  /** The same for comments. */
  readonly commentAnswers: Result<string>[];
  /** Runs between the reading of the ref and what follows. */
  afterListRefs: () => void;
};

export async function memory(options: Partial<PipelineOptions> = {}): Promise<Memory> {
  const repositories = memoryCollection<GitRepository>();
  const sources = memoryCollection<GitSource>();
  const applications = memoryCollection<Application>();
  const releases = memoryCollection<Release>();
  const plans = memoryCollection<PullRequestPlan>();
  const domains = memoryCollection<DomainClaim>();
  const certificates = memoryCertificates();
  const records = new Map<string, string[]>();
  const unused = (): never => {
    throw new Error('not part of this test');
  };
  const world = {
    repositories,
    sources,
    applications,
    releases,
    plans,
    domains,
    certificates,
    records,
    jobs: [],
    posted: [],
    comments: [],
    askedSecrets: [],
    pull: undefined,
    open: { requests: [], complete: true },
    pullHead: undefined,
    commentAnswers: [],
    messages: new Map(),
    checks: new Map(),
    remarks: new Map(),
    commented: [],
    files: new Map(),
    secrets: new Set(),
    imported: new Map(),
    unreadable: new Map(),
    forgeSays: {},
    deployed: [],
    deploymentAnswers: [],
    mentions: [],
    delivered: [],
    head: SHA(1),
    changed: undefined,
    now: new Date('2026-06-01T00:00:00Z'),
    forgeAnswers: [],
    afterListRefs: () => undefined,
  } as unknown as Memory & { deps: Deps };
  const store: Store = {
    repositories,
    sources,
    applications,
    plans,
    domains: memoryDomains(domains),
    releases: {
      ...releases,
      ofApplication: async (name: string) =>
        ok(
          [...releases.items.values()]
            .filter((release) => release.spec.application === name)
            .sort((a, b) => b.spec.revision - a.spec.revision),
        ),
      byIdempotency: async (digest: string) =>
        ok([...releases.items.values()].find((release) => release.spec.idempotency === digest)),
      watch: (name: string, listener: (release: Release) => void) => {
        const show = (): void => {
          const release = releases.items.get(name);
          if (release !== undefined) listener(structuredClone(release));
        };
        show();
        return releases.onChange((changed) => {
          if (changed === name) show();
        });
      },
    },
    sourcesOf: (repository: string, ref: string) =>
      [...sources.items.values()].filter(({ spec }) => spec.repository === repository && spec.ref === ref),
    repositoryRefs: (repository: string) => [
      ...new Set(
        [...sources.items.values()].filter(({ spec }) => spec.repository === repository).map(({ spec }) => spec.ref),
      ),
    ],
    previewsOf: async (project: string) =>
      ok([...applications.items.values()].filter(({ spec }) => spec.project === project && spec.preview !== undefined)),
    start: async () => undefined,
    stop: async () => undefined,
  } as unknown as Store;
  Object.assign(world, {
    deps: {
      store,
      cluster: { get: unused },
      capacity: roomyCapacity(() => world.now),
      leases: { acquire: unused },
      secrets: {
        missing: async (_key: unknown, names: readonly string[]) => {
          world.askedSecrets.push(...names);
          return ok(names.filter((name) => !world.secrets.has(name)));
        },
        addImported: async (_key: unknown, entries: readonly { ref: string; value: string }[]) => {
          for (const { ref, value } of entries) {
            world.secrets.add(ref);
            world.imported.set(ref, value);
          }
          return ok(undefined);
        },
      },
      certificates,
      dns: memoryDns(records),
      credentials: { forRepository: async () => ok(undefined), remove: async () => ok(undefined) },
      git: {
        listRefs: async () => {
          const refs = new Map(world.head === undefined ? [] : [[MAIN, world.head]]);
          if (world.pullHead !== undefined) refs.set(PULL, world.pullHead);
          world.afterListRefs();
          return ok(refs);
        },
        readFile: async ({ commit, path }: { commit: CommitSha; path: RepoPath }) => {
          const refusal = world.unreadable.get(path);
          if (refusal !== undefined) return fail(refusal);
          const text =
            world.files.get(`${commit}:${path}`) ?? (path.endsWith('.toml') ? world.files.get(commit) : undefined);
          return text === undefined ? fail(problem('file_not_found')) : ok({ commit, path, oid: commit, text });
        },
        changedPaths: async () => ok(world.changed),
        commitMessage: async ({ commit }: { commit: CommitSha }) => ok(world.messages.get(commit) ?? 'A commit'),
      },
      ...memoryPeople(() => world.now),
      images: { resolve: unused },
      statuses: {
        write: async (_repository: unknown, status: CommitStatus) => {
          const answer = world.forgeAnswers.shift() ?? ok(undefined);
          if (!answer.ok) return answer;
          world.posted.push(status);
          return ok(world.forgeSays);
        },
        latest: async (_repository: unknown, commit: CommitSha, context: string) => {
          const found = world.posted.filter((status) => status.commit === commit && status.context === context).at(-1);
          return ok(found === undefined ? undefined : { outcomes: [found.outcome], description: found.description });
        },
      },
      pullRequests: { read: async () => ok(world.pull), open: async () => ok(world.open) },
      comments: {
        upsert: async (
          _repository: unknown,
          { marker, body, known }: { marker: string; body: string; known?: string },
        ) => {
          const answer = world.commentAnswers.shift() ?? ok('1');
          if (answer.ok) world.comments.push({ marker, body, known });
          return answer;
        },
      },
      deployments: {
        write: async (_repository: unknown, deployment: ForgeDeployment) => {
          const answer = world.deploymentAnswers.shift() ?? ok('1');
          if (answer.ok) world.deployed.push(deployment);
          return answer;
        },
      },
      checks: { read: async () => ok(new Map(world.checks)) },
      commands: { read: async (_repository: unknown, { id }: { id: string }) => ok(world.remarks.get(id)) },
      hooks: memoryHooks(),
      jobs: {
        add: async (job: Job) => {
          world.jobs.push(job);
          return ok(undefined);
        },
        addAll: async (jobs: readonly Job[]) => {
          world.jobs.push(...jobs);
          return ok(undefined);
        },
      },
      schedule: { ensure: async () => ok(undefined) },
      deliveries: {
        mentioned: async (_repository: string, ref: string) =>
          ok(ref.endsWith('/comments') ? world.commented : world.mentions),
        forget: async (_repository: string, ref: string, commits: readonly string[]) => {
          if (ref.endsWith('/comments'))
            world.commented = world.commented.filter(({ commit }) => !commits.includes(commit));
          world.mentions = world.mentions.filter(({ commit }) => !commits.includes(commit));
          return ok(undefined);
        },
        mention: async (_repository: string, ref: string, again: { commit: string; at: string }) => {
          (ref.endsWith('/comments') ? world.commented : world.mentions).push(again);
          return ok(undefined);
        },
        recent: async (repository: string, limit: number) =>
          ok(world.delivered.filter((one) => one.repository === repository).slice(0, limit)),
      },
      clock: { now: () => world.now, sleep: async () => undefined },
      random: { hex: (bytes: number) => '0'.repeat(bytes * 2) },
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: () => undefined,
        with: () => world.deps.log,
      },
      metrics: {
        delivery: () => undefined,
        stage: () => undefined,
        release: () => undefined,
        grants: () => undefined,
      },
      options: {
        appDomain: 'apps.example.test',
        localRepositories: false,
        publicPort: undefined,
        tlsIssuer: undefined,
        ingressClass: 'haproxy',
        rolloutTimeoutSeconds: 180,
        policySettleMs: 0,
        mentionGraceMs: 5000,
        pullRequestsCheckMs: 600_000,
        publicUrl: undefined,
        grantWarningMs: 14 * 86_400_000,
        snapshotKey: 'k',
        ...options,
      },
    } as unknown as Deps,
  });
  await repositories.create({
    name: 'github-1',
    spec: {
      forge: 'github',
      url: 'https://git.example.test/acme/shop.git',
      repositoryId: '1',
      project: 'acme/shop',
      webhookAuth: 'hmac',
      hookId: '0'.repeat(32),
      intervalSeconds: 60,
    },
  });
  await addSource(world);
  return world;
}

/** Binds one more application to the same ref. */
export async function addSource(world: Memory, name = 'shop', path = 'hakopod.toml'): Promise<void> {
  const application = { project: 'acme', environment: 'production', name };
  const grant = defaultGrant({ ref: MAIN, path: path as RepoPath, application, owner: 'ada', now: world.now });
  await world.applications.create({ name: `acme.production.${name}`, spec: { id: '1'.repeat(32), ...application } });
  await world.sources.create({
    name: `acme.production.${name}`,
    spec: { repository: 'github-1', ref: MAIN, path, application, grant },
    finalizers: ['hakopod.io/reports'],
  });
}

export const RUN = { signal: new AbortController().signal };

/** What the ledger says of a commit: outcome and text. */
export function said(world: Memory, commit: string, source = SOURCE): string | undefined {
  const report = world.sources.items.get(source)?.status.reports?.find((entry) => entry.commit === commit);
  return report === undefined ? undefined : `${report.desired.outcome}: ${report.desired.description}`;
}

/** A small valid file. */
export function file(image = 'registry.example.test/shop:1', extra = ''): string {
  return `name = "shop"\n[services.web]\nimage = "${image}"\nport = 8080\n${extra}`;
}
