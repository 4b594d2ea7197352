import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { run } from './run.ts';

/** The folders of one build. */
export type Space = {
  readonly root: string;
  readonly context: string;
  readonly storage: string;
  readonly run: string;
  readonly home: string;
  readonly tmp: string;
  readonly dev: string;
};

/** Longest a removal inside a user namespace may take. */
const REMOVE_MS = 60_000;

const FOLDERS = ['context', 'storage', 'run', 'home', 'tmp', 'dev'] as const;

/** The build folder of an installation's worker: makes and removes spaces, and what a killed worker left. */
export class Spaces {
  readonly #folder: string;
  readonly #active = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async make(): Promise<Space> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.#sweep();
    const root = await mkdtemp(join(this.#folder, `${ownPrefix()}${process.pid}-`));
    this.#active.add(root);
    for (const folder of FOLDERS) await mkdir(join(root, folder), { mode: 0o700 });
    return spaceAt(root);
  }

  /** The space whose context this is; `undefined` for any other folder. */
  ofContext(contextDir: string): Space | undefined {
    const root = join(contextDir, '..');
    return this.#active.has(root) ? spaceAt(root) : undefined;
  }

  async remove(space: Space): Promise<void> {
    await removeAll(space.root);
    this.#active.delete(space.root);
  }

  /**
   * Spaces are named after machine and process. Ours that are not in use, and those of processes of this machine that are gone, are left
   * over: a build never outlives its worker. Another machine's are its own to remove.
   */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(ownPrefix())) continue;
      const root = join(this.#folder, name);
      const pid = Number.parseInt(name.slice(ownPrefix().length), 10);
      const isOurs = pid === process.pid;
      if (isOurs ? !this.#active.has(root) : !isAlive(pid)) await removeAll(root);
    }
  }
}

function ownPrefix(): string {
  return `${hostname().replace(/[^A-Za-z0-9.]/g, '_')}-`;
}

function spaceAt(root: string): Space {
  const at = (name: (typeof FOLDERS)[number]): string => join(root, name);
  return {
    root,
    context: at('context'),
    storage: at('storage'),
    run: at('run'),
    home: at('home'),
    tmp: at('tmp'),
    dev: at('dev'),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Removes a folder and answers nothing: what can not be removed now is removed by a later sweep. Without root, what a build made for other
 * users is not ours to remove from outside; from inside a user namespace that maps them it is.
 */
async function removeAll(path: string): Promise<void> {
  const isGone = await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 }).then(
    () => true,
    () => false,
  );
  if (isGone) return;
  const inside = ['unshare', '--user', '--map-root-user', '--map-auto', 'rm', '-rf', '--', path] as const;
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  await run(inside, { env, cwd: '/', signal: AbortSignal.timeout(REMOVE_MS), onOutput: () => undefined });
}
