import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';

/** How long a program may take to end by itself before it is killed. */
const GRACE_MS = 10_000;

/** Programs of one rig: each writes its own log file, and all end with `stop`, last started first. */
export class Processes {
  readonly #folder: string;
  readonly #running: { readonly name: string; readonly child: ChildProcess; readonly ended: Promise<void> }[] = [];

  constructor(logFolder: string) {
    this.#folder = logFolder;
  }

  /** Starts a program with its arguments; output goes to `NAME.log`. */
  start(name: string, program: string, args: readonly string[]): void {
    const log = openSync(this.logFile(name), 'a', 0o600);
    // A group of its own: Ctrl-C in a terminal must reach us alone, or the parts would die in any order.
    const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true, cwd: this.#folder });
    closeSync(log);
    const ended = new Promise<void>((resolve) => {
      child.on('error', () => resolve());
      child.on('exit', () => resolve());
    });
    this.#running.push({ name, child, ended });
  }

  logFile(name: string): string {
    return join(this.#folder, `${name}.log`);
  }

  /** Resolves when `check` answers true; throws when a program ended meanwhile or the time is over, with the end of the log of `name`. */
  async ready(name: string, ms: number, check: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + ms;
    for (;;) {
      if (await check().catch(() => false)) return;
      const dead = this.#running.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
      if (dead !== undefined) throw new Error(`${dead.name} ended:\n${await this.#tail(dead.name)}`);
      if (performance.now() > deadline)
        throw new Error(`${name} was not ready within ${ms} ms:\n${await this.#tail(name)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Ends one program, or all. */
  async stop(only?: string): Promise<void> {
    for (const one of this.#running.toReversed()) {
      if (only !== undefined && one.name !== only) continue;
      one.child.kill('SIGTERM');
      const timer = setTimeout(() => one.child.kill('SIGKILL'), GRACE_MS);
      await one.ended;
      clearTimeout(timer);
      this.#running.splice(this.#running.indexOf(one), 1);
    }
  }

  async #tail(name: string): Promise<string> {
    const text = await readFile(this.logFile(name), 'utf8').catch(() => '');
    return text.slice(-3000);
  }
}

/** Ports of loopback that were free a moment ago. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, '127.0.0.1', done))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
