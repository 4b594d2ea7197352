import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

export type RunOptions = {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Ends the process and everything it started. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
};

/** Builds yield to the worker's own work: leases and queue locks are renewed in time. */
const NICENESS = 10;

/**
 * Runs a program without a shell, in a process group of its own, and answers its exit code; 128 and more when a signal ended it, 127 when
 * there is no such program. Both outputs come in the order they are written. When the signal aborts, the whole group is killed.
 */
export function run(argv: readonly [string, ...string[]], options: RunOptions): Promise<number> {
  const { signal } = options;
  if (signal.aborted) return Promise.resolve(137);
  return new Promise((resolve) => {
    const [program, ...args] = argv;
    const child = spawn(program, args, {
      env: { ...options.env },
      cwd: options.cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const kill = (): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    };
    child.once('spawn', () => {
      try {
        setPriority(child.pid ?? 0, NICENESS);
      } catch {
        // It has ended already, or we may not: then it competes as an equal.
      }
      if (signal.aborted) kill();
    });
    signal.addEventListener('abort', kill, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => options.onOutput(text));
    }
    child.once('error', () => {
      signal.removeEventListener('abort', kill);
      resolve(127);
    });
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', kill);
      resolve(code ?? (ended === null ? 1 : 137));
    });
  });
}
