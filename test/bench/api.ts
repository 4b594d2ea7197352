import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Child, startChild } from '../support/child.ts';
import { startWorld, until, type World } from '../support/world.ts';
import { type Filled, fillApplications } from './api-fill.ts';
import type { BenchRequest } from './deliveries.ts';
import { closedLoop, type LoadResult, percentile } from './load.ts';
import { cpuMs, memoryMib } from './process.ts';

const ENVIRONMENTS = 5;
const RELEASES = 10;
const PAGE = 100;
/** Requests in flight at once: several people and programs who each wait for their answer. */
const CONNECTIONS = 4;

/**
 * Lists and details over the API of a server in a process of its own, with 1,000 applications over 5 environments and 10 releases each on
 * the embedded cluster, and 500 followers of one release. The peer in the same run is a bare `node:http` server that answers as many
 * bytes as a detail has. Times in milliseconds (`cpu`: of the server's processor, a
 * request), memory (resident, of the server) in MB; `followers_watches` are the watches the followers
 * opened at the API server, `followers_api_calls` its other requests while they waited, `followers_short` those that missed an event.
 */
export async function runApiBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const { applications, seconds, rounds, followers } =
    options.smoke === true
      ? { applications: 50, seconds: 1, rounds: 2, followers: 50 }
      : { applications: 1000, seconds: 5, rounds: 4, followers: 500 };
  const world = await startWorld();
  try {
    const began = performance.now();
    const filled = await fillApplications(world, { applications, environments: ENVIRONMENTS, releases: RELEASES });
    console.log(
      `${applications} applications in ${ENVIRONMENTS} environments, ${applications * RELEASES} releases: made in ${Math.round((performance.now() - began) / 1000)} s`,
    );
    // What an operator with this many applications and readers sets.
    const server = await startChild(world, 'server', {
      HAKOPOD_LOG_LEVEL: 'warn',
      HAKOPOD_APPLICATIONS_PER_ENVIRONMENT: '1000',
      HAKOPOD_API_RATE_BURST: '1000000',
      HAKOPOD_API_RATE_PER_SECOND: '1000000',
      HAKOPOD_API_IN_FLIGHT: '1000',
      HAKOPOD_API_STREAMS: String(followers),
      // Half of what the chart lets a server have: what grows without end ends the bench instead of looking like a lazy collector.
      NODE_OPTIONS: '--max-old-space-size=256',
    });
    const key = await firstKey(world, server.url);
    const paths = await pathsOf({ url: server.url, key, filled });
    const detailBytes = (await read(server.url, key, paths.details[0] ?? '')).length;
    const peer = await startPeer(world, detailBytes);
    const ports = { server: Number(new URL(server.url).port), peer };
    console.log(`a detail has ${detailBytes} bytes; ${CONNECTIONS} requests in flight`);

    const kinds = {
      list: { port: ports.server, requests: requestsOf(paths.lists, key) },
      detail: { port: ports.server, requests: requestsOf(paths.details, key) },
      bare: { port: ports.peer, requests: requestsOf(['/'], key) },
    };
    const runs: Record<keyof typeof kinds, Run[]> = { list: [], detail: [], bare: [] };
    const memory: number[] = [];
    // Round 0 warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [kind, { port, requests }] of entriesOf(kinds)) {
        const used = cpuMs(server.process.pid);
        const run = await closedLoop(port, requests, { connections: CONNECTIONS, seconds });
        if (run.refused > 0) throw new Error(`${run.refused} of ${kind} were refused`);
        if (round > 0) runs[kind].push({ ...run, cpuMs: cpuMs(server.process.pid) - used });
      }
      memory.push(memoryMib(server.process.pid, 'VmRSS'));
      if (round > 0) console.log(`round ${round}: ${summary(runs)}; the server has ${memory.at(-1)} MB`);
    }
    const follow = await followed(world, { server, key, release: filled.running, count: followers });
    console.log(
      `${followers} followers: ${follow.watches} watch, ${follow.calls} requests while they waited ${WAIT_MS / 1000} s, all told within ${follow.toldMs} ms, ${follow.short} missed an event; the server has ${memoryMib(server.process.pid, 'VmRSS')} MB`,
    );
    if (follow.watches !== 1 || follow.short > 0)
      throw new Error('followers cost more than one watch, or missed something');
    return {
      applications,
      ...figuresOf(runs),
      memory_first_mb: memory[0] ?? 0,
      memory_last_mb: memory.at(-1) ?? 0,
      followers,
      followers_watches: follow.watches,
      followers_api_calls: follow.calls,
      followers_told_ms: follow.toldMs,
      followers_short: follow.short,
      memory_followers_mb: memoryMib(server.process.pid, 'VmRSS'),
    };
  } finally {
    await world.stop();
  }
}

/** A run, and the processor time the server used in it. */
type Run = LoadResult & { readonly cpuMs: number };
type Runs = Readonly<Record<'list' | 'detail' | 'bare', readonly Run[]>>;

function entriesOf<K extends string, V>(record: Readonly<Record<K, V>>): readonly (readonly [K, V])[] {
  return Object.entries(record) as [K, V][];
}

function summary(runs: Runs): string {
  return entriesOf(runs)
    .map(([kind, all]) => {
      const { latencies = [], perSecond = 0 } = all.at(-1) ?? {};
      return `${kind} p50 ${percentile(latencies, 0.5).toFixed(1)} p99 ${percentile(latencies, 0.99).toFixed(1)} ms (${Math.round(perSecond)}/s)`;
    })
    .join(', ');
}

/** Over all requests of all rounds. */
function figuresOf(runs: Runs): Record<string, number> {
  return Object.fromEntries(
    entriesOf(runs).flatMap(([kind, all]) => {
      const latencies = all.flatMap((run) => run.latencies);
      return [
        [`${kind}_requests`, latencies.length],
        [`${kind}_p50_ms`, Number(percentile(latencies, 0.5).toFixed(2))],
        [`${kind}_p99_ms`, Number(percentile(latencies, 0.99).toFixed(2))],
        // What it costs however busy the machine is; the peer is another process.
        ...(kind === 'bare' ? [] : [[`${kind}_cpu_ms`, Number((sum(all) / latencies.length).toFixed(2))] as const]),
      ];
    }),
  );
}

/** The first administrator's key, from the moment it opens the API. */
async function firstKey(world: World, url: string): Promise<string> {
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'hakopod-admin-key' };
  return until('the first key opens', async () => {
    const found = await world.api.get(secret);
    const { key } = (found.ok ? (found.value?.data ?? {}) : {}) as { readonly key?: string };
    if (key === undefined) return undefined;
    const text = Buffer.from(key, 'base64').toString();
    const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bearer ${text}` } });
    return answer.status === 200 ? text : undefined;
  });
}

async function read(url: string, key: string, path: string): Promise<string> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
  return answer.text();
}

/** All pages of the whole list and of each environment, and the detail of each application. */
async function pathsOf(at: {
  readonly url: string;
  readonly key: string;
  readonly filled: Filled;
}): Promise<{ readonly lists: readonly string[]; readonly details: readonly string[] }> {
  const filters = ['', ...at.filled.environments.map((name) => `&project=acme&environment=${name}`)];
  const lists: string[] = [];
  let seen = 0;
  for (const filter of filters) {
    let cursor = '';
    do {
      const path = `/api/v1/applications?limit=${PAGE}${filter}${cursor}`;
      const page = JSON.parse(await read(at.url, at.key, path)) as {
        readonly items: readonly unknown[];
        readonly next_cursor?: string;
      };
      lists.push(path);
      seen += page.items.length;
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
  }
  if (seen !== at.filled.ids.length * 2) throw new Error(`the lists show ${seen} applications`);
  return { lists, details: at.filled.ids.map((id) => `/api/v1/applications/${id}`) };
}

function requestsOf(paths: readonly string[], key: string): readonly BenchRequest[] {
  const mark = '0'.repeat(36);
  return paths.map((path) => {
    const head = `GET ${path} HTTP/1.1\r\nHost: hakopod.example.com\r\nAuthorization: Bearer ${key}\r\nX-Mark: ${mark}\r\n\r\n`;
    return { bytes: Buffer.from(head), idAt: head.indexOf(mark) };
  });
}

async function startPeer(world: World, bytes: number): Promise<number> {
  const script = fileURLToPath(new URL('./api-peer.ts', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [script, String(bytes)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  world.defer(async () => child.kill('SIGKILL'));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return port;
}

function sum(runs: readonly Run[]): number {
  return runs.reduce((total, run) => total + run.cpuMs, 0);
}

type Following = {
  readonly watches: number;
  readonly calls: number;
  readonly toldMs: number;
  readonly short: number;
};
/** Longer than the time after which each stream asks for its reader's rights again. */
const WAIT_MS = 4_000;

/** Opens the streams, lets the release go one step and end, and reads every stream to its end. */
async function followed(
  world: World,
  what: { readonly server: Child; readonly key: string; readonly release: string; readonly count: number },
): Promise<Following> {
  const { key, release, count } = what;
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const before = world.cluster.watches();
  const url = `${what.server.url}/api/v1/deployments/${release}/events`;
  const streams = await Promise.all(
    Array.from({ length: count }, async () => {
      const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      if (answer.statusCode !== 200) throw new Error(`a follower was answered ${answer.statusCode}`);
      return textOf(answer);
    }),
  );
  await until('the watch is there', () => world.cluster.watches() > before);
  const watches = world.cluster.watches() - before;
  world.cluster.resetRequests();
  await setTimeout(WAIT_MS);
  const calls = world.cluster.requests().total;
  const now = new Date().toISOString();
  const step = { name: 'images', state: 'done', startedAt: now, at: now } as const;
  const began = performance.now();
  await world.store.releases.updateStatus(release, ({ status }) => ({ ...status, steps: [step] }));
  await world.store.releases.updateStatus(release, ({ status }) => ({
    ...status,
    state: 'succeeded',
    finishedAt: new Date().toISOString(),
  }));
  const texts = await Promise.all(streams.map(({ ended }) => ended));
  const toldMs = Math.round(performance.now() - began);
  agent.destroy();
  const wanted = ['"type":"queued"', '"type":"running"', '"type":"resolved"', '"type":"succeeded"'];
  const short = texts.filter((text) => wanted.some((event) => !text.includes(event))).length;
  return { watches, calls, toldMs, short };
}

/** The text is read from now on; it is complete when the stream ends. */
function textOf(answer: IncomingMessage): { readonly ended: Promise<string> } {
  const chunks: string[] = [];
  answer.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  return { ended: once(answer, 'end').then(() => chunks.join('')) };
}
