import { sha256 } from '../../src/kernel/index.ts';
import { packSpec } from '../../src/pipeline/release-body.ts';
import { GROUP_VERSION, type Release } from '../../src/ports/index.ts';
import { type Application, parseSpec, specDigest } from '../../src/spec/index.ts';
import type { World } from '../support/world.ts';

/** What was put into the control namespace. */
export type Filled = {
  readonly environments: readonly string[];
  /** Ids of the applications. */
  readonly ids: readonly string[];
  /** Name of the one release that has not ended: the newest of the first application. */
  readonly running: string;
};

/** Applications as they are after some releases: each with its states, its inventory, and releases that have their steps. */
export async function fillApplications(
  world: World,
  size: { readonly applications: number; readonly environments: number; readonly releases: number },
): Promise<Filled> {
  const environments = Array.from({ length: size.environments }, (_, n) => `env-${n}`);
  const ids = Array.from({ length: size.applications }, (_, n) => sha256(`application ${n}`).slice(0, 32));
  const desired = parsed();
  const nameOf = (n: number): string => `acme.${environments[n % environments.length]}.app-${n}`;
  await inBatches(size.applications, async (n) => {
    const [project = '', environment = '', name = ''] = nameOf(n).split('.');
    const key = { project, environment, name };
    const created = await world.store.applications.create({ name: nameOf(n), spec: { id: ids[n] ?? '', ...key } });
    if (!created.ok) throw new Error(created.problem.message);
    for (let revision = 1; revision <= size.releases; revision += 1) {
      const isOpen = n === 0 && revision === size.releases;
      await addRelease(world, { application: nameOf(n), id: ids[n] ?? '', revision, desired, isOpen });
    }
    await writeStatus(world, created.value, applicationStatus(ids[n] ?? '', size.releases));
  });
  return { environments, ids, running: `${nameOf(0)}.${size.releases}` };
}

function parsed(): Application {
  const services = ['web', 'api', 'worker'].map(
    (name) =>
      `[services.${name}]\nimage = "ghcr.io/acme/${name}:1.4"\n${name === 'worker' ? '' : 'port = 8080\n'}env = { ${Array.from({ length: 15 }, (_, n) => `SETTING_${n} = "${sha256(`${name} ${n}`)}"`).join(', ')} }\n`,
  );
  const read = parseSpec(`name = "app"\n${services.join('')}`);
  if (!read.ok) throw new Error(read.problems.map(({ message, at }) => `${at}: ${message}`).join('; '));
  return read.application;
}

async function addRelease(
  world: World,
  what: {
    readonly application: string;
    readonly id: string;
    readonly revision: number;
    readonly desired: Application;
    readonly isOpen: boolean;
  },
): Promise<void> {
  const { application, revision, desired } = what;
  const created = await world.store.releases.create({
    name: `${application}.${revision}`,
    spec: {
      application,
      applicationId: what.id,
      revision,
      specDigest: specDigest(desired),
      spec: packSpec(desired),
      origin: { kind: 'api', actor: 'bench', identity: 'bench', via: 'api', action: 'deploy' },
    },
  });
  if (!created.ok) throw new Error(created.problem.message);
  await writeStatus(world, created.value, releaseStatus(what.isOpen));
}

function releaseStatus(isOpen: boolean): Release['status'] {
  const at = new Date().toISOString();
  if (isOpen) return { state: 'running', attempts: 1, startedAt: at };
  const steps = ['images', 'foundation', 'service:web', 'service:api', 'service:worker', 'prune'];
  const digest = `sha256:${'a'.repeat(64)}`;
  return {
    state: 'succeeded',
    attempts: 1,
    startedAt: at,
    finishedAt: at,
    resolved: { web: `ghcr.io/acme/web@${digest}`, api: `ghcr.io/acme/api@${digest}` },
    steps: steps.map((name) => ({ name, state: 'done', startedAt: at, at })),
  };
}

function applicationStatus(id: string, revision: number): object {
  const services = ['web', 'api', 'worker'].map((name) => ({ name, status: 'ready', ready: 1, desired: 1 }));
  const kinds = ['Deployment', 'Service', 'NetworkPolicy'];
  return {
    phase: 'healthy',
    acceptedRevision: revision,
    revision,
    services,
    inventory: services.flatMap(({ name }) =>
      kinds.map((kind) => ({ apiVersion: 'v1', kind, namespace: `hp-${id}`, name, uid: `${id}-${kind}-${name}` })),
    ),
  };
}

/** The status alone, at the version just created: one request less than the store's way. */
async function writeStatus(
  world: World,
  object: { readonly name: string; readonly resourceVersion: string; readonly spec: object },
  status: object,
): Promise<void> {
  const metadata = { name: object.name, namespace: 'hakopod-system', resourceVersion: object.resourceVersion };
  const kind = 'revision' in object.spec ? 'Release' : 'Application';
  const written = await world.api.replace(
    { apiVersion: GROUP_VERSION, kind, metadata, spec: object.spec, status } as Parameters<World['api']['replace']>[0],
    'status',
  );
  if (!written.ok) throw new Error(`${written.problem.message} ${JSON.stringify(written.problem.cause)}`);
}

async function inBatches(size: number, work: (n: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < size; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, size - from) }, (_, offset) => work(from + offset)));
}
