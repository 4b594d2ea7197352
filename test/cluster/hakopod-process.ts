import { spawn } from 'node:child_process';
import { type Runtime, runCli, type Screen } from '../../src/cli/index.ts';
import { loadConfig } from '../../src/config.ts';
import { ok } from '../../src/kernel/index.ts';
import { checkUrl, layFoundation } from '../../src/wiring/foundation.ts';
import { openLocalApi } from '../../src/wiring/local-api.ts';
import { must } from '../contracts/cluster.contract.ts';
import { MAIN } from './installation.ts';

/* `hakopod` as a person runs it: on a pipe in this process, which is quick, or as a process of its own, which can be interrupted. */

/** How a command ended. */
export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A command that runs. */
export type Running = {
  /** What it wrote so far. */
  out(): string;
  err(): string;
  type(text: string): void;
  /** The end of a pipe. */
  endInput(): void;
  readonly ended: Promise<Ended>;
};

export type Environment = Readonly<Record<string, string>>;
export type HakopodOptions = {
  /** What the command would find in its environment. */
  readonly env: Environment;
  /** What an editor makes of a text. */
  readonly edit?: (text: string) => string;
  readonly input?: string;
};

/** Runs `hakopod` on a pipe. */
export function startHakopod(args: readonly string[], options: HakopodOptions): Running {
  const { env, edit, input = '' } = options;
  const chunks: Uint8Array[] = [];
  const errors: string[] = [];
  let listener: ((chunk: Uint8Array | undefined) => void) | undefined;
  const typed: (Uint8Array | undefined)[] = [];
  const hand = (chunk: Uint8Array | undefined): void => {
    if (listener === undefined) typed.push(chunk);
    else listener(chunk);
  };
  const screen: Screen = {
    isTerminal: false,
    size: () => undefined,
    onResize: () => () => undefined,
    onInput: (to) => {
      listener = to;
      for (const chunk of typed.splice(0)) to(chunk);
      return () => {
        listener = undefined;
      };
    },
    write: async (chunk) => void chunks.push(chunk.slice()),
  };
  const out = (): string => Buffer.concat(chunks).toString('utf8');
  const err = (): string => errors.join('\n');
  const code = runCli(
    runtimeOf(env, edit),
    {
      out: (line) => void chunks.push(Buffer.from(`${line}\n`)),
      err: (line) => void errors.push(line),
      readInput: async () => input,
      screen,
    },
    args,
  );
  return {
    out,
    err,
    type: (text) => hand(Buffer.from(text)),
    endInput: () => hand(undefined),
    ended: code.then((ended) => ({ code: ended, out: out(), err: err() })),
  };
}

function runtimeOf(env: Environment, edit: HakopodOptions['edit']): Runtime {
  const none = async (): Promise<never> => {
    throw new Error('nothing of this kind is run here');
  };
  return {
    ...{ version: '0.0.0', now: () => new Date(), serve: none, demo: none, doctor: none },
    checkUrl,
    clientEnvironment: () => ({
      apiUrl: env.HAKOPOD_API_URL,
      apiKey: env.HAKOPOD_API_KEY,
      loginFile: '/nonexistent/login.json',
    }),
    openApi: async (flags) => {
      const foundation = layFoundation({ ...must(loadConfig(flags, env)), logLevel: 'silent' });
      return foundation.ok ? openLocalApi(foundation.value) : foundation;
    },
    edit: async (text) => ok(edit === undefined ? undefined : edit(text)),
  };
}

/** A process, which Ctrl-C can end. */
export type Process = Running & { interrupt(): void };

/** Starts `hakopod` as a process on a pipe. */
export function spawnHakopod(args: readonly string[], env: Environment): Process {
  return start(process.execPath, [MAIN, ...args], env);
}

/**
 * Starts `hakopod` as a process on a terminal of this size. It writes the terminal's own name first, so that somebody can change its size. The
 * arguments are words without blanks and quotes.
 */
export function spawnOnTerminal(
  args: readonly string[],
  { env, rows, columns }: { readonly env: Environment; readonly rows: number; readonly columns: number },
): Process {
  const words = { NODE: process.execPath, MAIN, ARGS: args.join(' '), HEIGHT: String(rows), WIDTH: String(columns) };
  // `script` takes one text for a shell; what differs comes from the environment.
  const command = 'stty rows $HEIGHT cols $WIDTH; tty; exec "$NODE" "$MAIN" $ARGS';
  return start('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], { ...env, ...words });
}

function start(program: string, args: readonly string[], env: Environment): Process {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const chunks = { out: [] as Buffer[], err: [] as Buffer[] };
  child.stdout.on('data', (chunk: Buffer) => chunks.out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.err.push(chunk));
  child.stdin.on('error', () => undefined);
  const text = (of: readonly Buffer[]): string => Buffer.concat(of).toString('utf8');
  return {
    out: () => text(chunks.out),
    err: () => text(chunks.err),
    type: (typed) => void child.stdin.write(typed),
    endInput: () => void child.stdin.end(),
    interrupt: () => void child.kill('SIGINT'),
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out: text(chunks.out), err: text(chunks.err) }));
    }),
  };
}
