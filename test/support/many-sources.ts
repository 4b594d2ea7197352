import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaultGrant } from '../../src/grant/index.ts';
import { type RefName, type RepoPath, sha256 } from '../../src/kernel/index.ts';
import type { World } from './world.ts';

const MAIN = 'refs/heads/main' as RefName;

/** The hook of the repository that `addSources` binds everything to, below a server's URL. */
export const HOOK = { path: `/hooks/${'0'.repeat(32)}`, secret: 'bench-secret' };

/** One application of the many, at one version of its file. */
export type Version = { readonly index: number; readonly version: number };

/** All applications' files in one commit, which is answered, and their sources, which have all seen it already. */
export async function addSources(world: World, size: number): Promise<string> {
  const { store } = world;
  const work = join(world.folder, 'work');
  for (let index = 0; index < size; index += 1) {
    const path = join(work, fileOf(index));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, specOf(world, { index, version: 0 }));
  }
  const commit = await world.tree.pushAll('All applications');
  const at = new Date().toISOString();
  await world.saveHook(HOOK.secret);
  const repository = await store.repositories.create({
    name: 'github-4711',
    spec: {
      forge: 'github',
      url: world.gitUrl,
      repositoryId: '4711',
      project: 'acme/shop',
      local: true,
      credentialsSecret: 'github-4711-credentials',
      webhookSecret: 'github-4711-hook',
      webhookAuth: 'hmac',
      hookId: '0'.repeat(32),
      intervalSeconds: 3600,
    },
  });
  if (!repository.ok) throw new Error(repository.problem.message);
  await inBatches(size, (index) => addOne(world, { index, commit, at }));
  await store.repositories.updateStatus('github-4711', () => ({ refs: [{ name: MAIN, commit, syncedAt: at }] }));
  return commit;
}

async function addOne(
  world: World,
  { index, commit, at }: { readonly index: number; readonly commit: string; readonly at: string },
): Promise<void> {
  const { store } = world;
  const application = { project: 'acme', environment: 'production', name: appOf(index) };
  const name = nameOf(index);
  const created = await store.applications.create({ name, spec: { id: idOf(world, index), ...application } });
  if (!created.ok) throw new Error(created.problem.message);
  const path = fileOf(index) as RepoPath;
  const grant = defaultGrant({ ref: MAIN, path, application, owner: 'bench', now: new Date() });
  const source = await store.sources.create({
    name,
    spec: { repository: 'github-4711', ref: MAIN, path, application, grant },
    finalizers: ['hakopod.io/reports'],
  });
  if (!source.ok) throw new Error(source.problem.message);
  await store.sources.updateStatus(name, () => ({
    seen: { commit, generation: source.value.generation, at },
    planned: { commit, generation: source.value.generation, grantRevision: 1, outcome: 'unchanged', at },
  }));
}

async function inBatches(size: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < size; from += 20)
    await Promise.all(Array.from({ length: Math.min(20, size - from) }, (_, offset) => work(from + offset)));
}

/** Distinct also between runs on one real cluster. */
export function idOf(world: World, index: number): string {
  return sha256(`${world.settings.HAKOPOD_NAMESPACE}/${world.folder}/${index}`).slice(0, 32);
}

/** The name of the application in its environment. */
export function appOf(index: number): string {
  return `app-${index.toString().padStart(4, '0')}`;
}

/** The name of the source and application as resources. */
export function nameOf(index: number): string {
  return `acme.production.${appOf(index)}`;
}

/** Where its file is in the repository. */
export function fileOf(index: number): string {
  return `apps/${appOf(index)}/hakopod.toml`;
}

/** The text of its file. */
export function specOf(world: World, { index, version }: Version): string {
  return `name = "${appOf(index)}"\n[services.web]\nimage = "${world.registry.host}/shop/web:2.0"\nport = 8080\nenv = { VERSION = "${version}" }\n`;
}

/** Changes one application's file on main; answers the commit. */
export function pushVersion(world: World, change: Version): Promise<string> {
  return world.tree.push(fileOf(change.index), specOf(world, change), `Version ${change.version}`);
}

/** Resolves once the newest release of the application is carried out and is of this commit. */
export async function isReleased(world: World, index: number, commit: string): Promise<boolean> {
  const releases = await world.store.releases.ofApplication(nameOf(index));
  if (!releases.ok) return false;
  const [newest] = releases.value;
  return newest?.status.state === 'succeeded' && newest.spec.origin.commit === commit;
}
