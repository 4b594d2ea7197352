import { ok, type RefName, type RepoPath } from '../../src/kernel/index.ts';
import { planName } from '../../src/pipeline/preview/plans.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import type {
  Application,
  Job,
  PlanEnvironment,
  PullRequest,
  PullRequestPlan,
  Release,
} from '../../src/ports/index.ts';
import { MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from './memory.ts';
import { type MemoryLeases, memoryLeases } from './memory-leases.ts';

const HOUR_MS = 3_600_000;

/** The pipeline's world in memory, with a source that wants preview environments for two hours. */
export type EnvironmentWorld = Memory & {
  readonly held: MemoryLeases;
  /** Shows commit `n` as the head of a request at forge and Git server. */
  show(n: number, changes?: Partial<PullRequest> & { readonly text?: string }): void;
  /** Looks at a request; throws unless the look is over. */
  look(number?: number): Promise<void>;
  plan(number?: number): PullRequestPlan | undefined;
  environment(number?: number): PlanEnvironment | undefined;
  previews(): readonly Application[];
  /** The releases of previews, in the order they were accepted. */
  carried(): readonly Release[];
  /** Ends the newest release of a request's environment as the reconcile does. */
  end(state: 'succeeded' | 'failed', number?: number): Promise<void>;
  /** What a worker does in the end with an application that was asked to go. */
  takeDown(name: string): Promise<void>;
  want(ttlHours: number | undefined): Promise<void>;
  later(hours: number): void;
  /** The text of the newest comment. */
  told(): string;
  /** The jobs since this was last asked. */
  asked(): readonly Job[];
};

export function fileOf(image: string, extra = ''): string {
  return `name = "shop"\n[services.web]\nimage = "registry.example.test/shop:${image}"\nport = 8080\n${extra}`;
}

export async function environmentWorld(): Promise<EnvironmentWorld> {
  const inMemory = await memory();
  const held = memoryLeases();
  let hexes = 0;
  Object.assign(inMemory.deps, {
    leases: held,
    // Whichever request is asked for, it has the head that is shown.
    pullRequests: {
      ...inMemory.deps.pullRequests,
      read: async (_forge: unknown, number: number) => ok(inMemory.pull && { ...inMemory.pull, number }),
    },
    random: {
      hex: (bytes: number) => {
        hexes += 1;
        return hexes.toString(16).padStart(bytes * 2, '0');
      },
    },
  });
  inMemory.changed = new Set(['hakopod.toml' as RepoPath]);
  const previews = (): readonly Application[] =>
    [...inMemory.applications.items.values()].filter(({ spec }) => spec.preview !== undefined);
  const ofRequest = (number: number): Application | undefined =>
    previews().find(({ spec }) => spec.preview?.number === number);
  const plan = (number = 7): PullRequestPlan | undefined => inMemory.plans.items.get(planName(SOURCE, number));
  let seen = 0;
  const world: EnvironmentWorld = Object.assign(inMemory, {
    held,
    previews,
    plan,
    show: (n: number, { text, ...changes }: Partial<PullRequest> & { readonly text?: string } = {}) => {
      world.pullHead = SHA(n);
      world.files.set(SHA(n), text ?? fileOf(String(n)));
      world.pull = {
        ...{ number: 7, state: 'open', head: SHA(n), ref: PULL, base: MAIN, fork: false, draft: false },
        ...{ branch: 'refs/heads/change' as RefName, updatedAt: world.now.toISOString(), mergeBase: SHA(1) },
        ...changes,
      };
    },
    look: async (number = 7) => {
      const looked = await preview(world.deps, { repository: 'github-1', number }, RUN);
      if (!looked.ok) throw new Error(`${looked.problem.code}: ${looked.problem.message}`);
    },
    environment: (number = 7) => plan(number)?.status.environment,
    carried: () => [...world.releases.items.values()].filter(({ spec }) => spec.origin.kind === 'preview'),
    end: async (state: 'succeeded' | 'failed', number = 7) => {
      const name = ofRequest(number)?.name ?? '';
      const newest = world.carried().findLast(({ spec }) => spec.application === name);
      const failure =
        state === 'failed' ? { code: 'rollout_failed', message: 'a pod crashed', at: 'services.web' } : {};
      await world.releases.updateStatus(newest?.name ?? '', ({ status }) => ({ ...status, ...failure, state }));
      await world.applications.updateStatus(name, ({ status }) => ({
        ...status,
        phase: state === 'succeeded' ? 'healthy' : 'failed',
        services: [{ name: 'web', status: 'ready', url: `https://web-${number}.apps.example.test` }],
      }));
    },
    takeDown: async (name: string) => {
      for (const release of [...world.releases.items.values()])
        if (release.spec.application === name) await world.releases.delete(release.name, release.uid);
      await world.applications.update(name, () => ({ finalizers: [] }));
    },
    want: async (ttlHours: number | undefined) => {
      await world.sources.update(SOURCE, ({ spec: { previewEnvironments: _, ...spec } }) => ({
        spec: ttlHours === undefined ? spec : { ...spec, previewEnvironments: { ttlHours } },
      }));
    },
    later: (hours: number) => {
      world.now = new Date(world.now.getTime() + hours * HOUR_MS);
    },
    told: () => world.comments.at(-1)?.body ?? '',
    asked: () => {
      const jobs = world.jobs.slice(seen);
      seen = world.jobs.length;
      return jobs;
    },
  });
  await world.want(2);
  world.show(2);
  return world;
}
