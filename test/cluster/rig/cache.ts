import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const SOURCES = ['main.go', 'go.mod', 'go.sum'] as const;
/** Helm as the chart's tests use it: the newest 3.22 the Go module proxy serves. */
const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
/** Nodes that only say that their pods run. */
const KWOK = 'sigs.k8s.io/kwok/cmd/kwok@v0.8.0';
const FLAGS = ['-ldflags', '-s -w'];

/** Where built programs live between runs, outside the tree: `$XDG_CACHE_HOME/hakopod`, or `~/.cache/hakopod`. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hakopod');
}

/** The path of a program on PATH, or undefined. An absolute path is only looked at. */
export function onPath(name: string): string | undefined {
  if (name.startsWith('/')) return isRunnable(name) ? name : undefined;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].filter(Boolean);
  return folders.map((folder) => join(folder, name)).find(isRunnable);
}

/**
 * The Kubernetes programs in one binary, built from the Go module beside this file. Keyed by a digest of the module's files and Go's
 * version, so a change builds anew and nothing else does. About 6 minutes on two cores the first time. Undefined without Go.
 */
export function kubeBinary(): Promise<string | undefined> {
  return goBinary('kube', import.meta.dirname);
}

/** The program of a Go module of ours, built once like `kubeBinary`. Undefined without Go. */
export async function goBinary(program: string, folder: string): Promise<string | undefined> {
  const go = onPath('go');
  if (go === undefined) return undefined;
  const digest = createHash('sha256');
  for (const name of SOURCES) digest.update(`${name}\0`).update(readFileSync(join(folder, name)));
  const name = `${program}-${await keyOf(go, digest)}`;
  return built(name, (out) => run(go, ['build', ...FLAGS, '-o', join(out, name), '.'], { cwd: folder }));
}

/** Helm from PATH when it is version 3.22, else built once. Undefined without Go. */
export async function helmBinary(): Promise<string | undefined> {
  const present = onPath('helm');
  if (present !== undefined && (await run(present, ['version', '--short'])).startsWith('v3.22.')) return present;
  return installed('helm', HELM);
}

/** kwok of the one version that is tried, built once. Undefined without Go. */
export function kwokBinary(): Promise<string | undefined> {
  return installed('kwok', KWOK);
}

/** A program of somebody else's Go module at a version. */
async function installed(program: string, source: string): Promise<string | undefined> {
  const go = onPath('go');
  if (go === undefined) return undefined;
  const name = `${program}-${await keyOf(go, createHash('sha256').update(source))}`;
  return built(name, async (out) => {
    await run(go, ['install', ...FLAGS, source], { env: { GOBIN: out } });
    await rename(join(out, program), join(out, name));
  });
}

async function keyOf(go: string, digest: ReturnType<typeof createHash>): Promise<string> {
  digest.update(await run(go, ['env', 'GOVERSION', 'GOOS', 'GOARCH']));
  return digest.digest('hex').slice(0, 16);
}

/** Builds into a folder of its own and moves the result into place, so that a build cut off or run twice leaves nothing half done. */
async function built(name: string, build: (folder: string) => Promise<unknown>): Promise<string> {
  const target = join(cacheFolder(), name);
  if (isRunnable(target)) return target;
  await mkdir(cacheFolder(), { recursive: true });
  const folder = await mkdtemp(join(cacheFolder(), 'build-'));
  try {
    console.error(`building ${name} with Go; this takes some minutes and happens once`);
    await build(folder);
    await rename(join(folder, name), target);
    return target;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end and answers what it printed; throws with the end of its error output when it fails. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out).toString('utf8'));
      const said = Buffer.concat(err).toString('utf8').trim().slice(-2000);
      reject(new Error(`${program} ${args[0] ?? ''} ended with ${code}: ${said}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input);
  });
}
