import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { connectRedis, startPrivateRedis } from '../../src/adapters/redis/index.ts';
import { type BenchRequest, benchHooks, pushRequest } from './deliveries.ts';
import { closedLoop, openLoop, percentile } from './load.ts';

const PREFIX = 'bench';
const HOOKS = 50;
const CONNECTIONS = 50;
const PEERS = ['bare', 'ours', 'octokit'] as const;
type Peer = (typeof PEERS)[number];

/**
 * Deliveries a second of a 7 KB push (50 repositories, distinct delivery ids, valid signatures) that one core takes: a bare `node:http` server
 * that does HMAC and JSON.parse and keeps nothing, ours with a real Redis, and @octokit/webhooks. Closed loop, 50 connections, rounds interleaved and
 * the median taken; then ours in an open loop at 2,000 a second. `lost` is what was answered 202 and is not found in Redis afterwards.
 */
export async function runReceiverBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const smoke = options.smoke ?? false;
  const { rounds, seconds, openSeconds } = smoke
    ? { rounds: 1, seconds: 1, openSeconds: 1 }
    : { rounds: 5, seconds: 4, openSeconds: 10 };
  const pinned = pinSelf();
  console.log(
    pinned ? 'server on core 0; load and Redis on core 1' : 'not pinned: taskset or a second core is missing',
  );
  const redis = await startPrivateRedis();
  if (!redis.ok) throw new Error(redis.problem.message);
  const servers = new Map<Peer, Server>();
  try {
    for (const peer of PEERS) servers.set(peer, await startServer(peer, redis.value.url, pinned));
    const requests = benchRequests();
    console.log(`a delivery has ${requests[0]!.bytes.length} bytes, from ${HOOKS} repositories`);
    const speeds: Record<Peer, number[]> = { bare: [], ours: [], octokit: [] };
    const costs: Record<Peer, number[]> = { bare: [], ours: [], octokit: [] };
    let accepted = 0;
    for (let round = 0; round <= rounds; round += 1) {
      for (const peer of PEERS) {
        // Round 0 warms up.
        const server = servers.get(peer)!;
        const before = await cpuOf(server);
        const run = await closedLoop(server.port, requests, {
          connections: CONNECTIONS,
          seconds: round === 0 ? Math.min(2, seconds) : seconds,
        });
        if (peer === 'ours') accepted += run.accepted;
        if (peer === 'ours' && run.refused > 0) console.log(`ours refused ${run.refused}`);
        const cost = ((await cpuOf(server)) - before) / run.latencies.length;
        if (round === 0) continue;
        speeds[peer].push(run.perSecond);
        costs[peer].push(cost);
      }
      if (round > 0)
        console.log(
          `round ${round}: ${PEERS.map((peer) => `${peer} ${Math.round(speeds[peer].at(-1)!)}/s (${Math.round(costs[peer].at(-1)!)} us of processor each)`).join(', ')}`,
        );
    }
    const open = await openLoop(servers.get('ours')!.port, requests, { rate: 2_000, seconds: openSeconds });
    accepted += open.accepted;
    console.log(
      `open loop at 2,000/s: p50 ${percentile(open.latencies, 0.5).toFixed(1)} ms, p99 ${percentile(open.latencies, 0.99).toFixed(1)} ms, refused ${open.refused}`,
    );
    const recorded = await recordedIn(redis.value.url);
    const ratio = percentile(
      speeds.ours.map((ours, i) => ours / speeds.bare[i]!),
      0.5,
    );
    console.log(
      `ours / bare = ${ratio.toFixed(2)}; ${accepted} accepted, ${recorded.marks} recorded, ${recorded.jobs} of ${HOOKS} syncs waiting`,
    );
    return {
      bare_per_second: Math.round(percentile(speeds.bare, 0.5)),
      ours_per_second: Math.round(percentile(speeds.ours, 0.5)),
      octokit_per_second: Math.round(percentile(speeds.octokit, 0.5)),
      bare_cpu_us: Math.round(percentile(costs.bare, 0.5)),
      ours_cpu_us: Math.round(percentile(costs.ours, 0.5)),
      ratio: Number(ratio.toFixed(3)),
      p99_ms_at_2000: Number(percentile(open.latencies, 0.99).toFixed(2)),
      lost: accepted - recorded.marks + (HOOKS - recorded.jobs),
    };
  } finally {
    for (const { child } of servers.values()) child.kill('SIGKILL');
    await redis.value.stop();
  }
}

type Server = { readonly child: ChildProcess; readonly port: number };

async function startServer(peer: Peer, redis: string, pinned: boolean): Promise<Server> {
  const script = [fileURLToPath(new URL('./receiver-peer.ts', import.meta.url)), peer];
  const command = pinned ? ['taskset', '-c', '0', process.execPath, ...script] : [process.execPath, ...script];
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({ hooks: HOOKS, redis, prefix: PREFIX });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { child, port };
}

function benchRequests(): readonly BenchRequest[] {
  return benchHooks(HOOKS).map((hook, i) => pushRequest(hook, (i + 1).toString(16).padStart(40, '0')));
}

/** Moves this process, and with it the Redis it starts, to the second core. */
function pinSelf(): boolean {
  if (availableParallelism() < 2) return false;
  return spawnSync('taskset', ['-acp', '1', String(process.pid)], { stdio: 'ignore' }).status === 0;
}

/** Processor time the server has used so far, microseconds. */
async function cpuOf({ child }: Server): Promise<number> {
  child.send('cpu');
  const [{ cpu }] = (await once(child, 'message')) as [{ cpu: number }];
  return cpu;
}

async function recordedIn(url: string): Promise<{ readonly marks: number; readonly jobs: number }> {
  const redis = connectRedis(url);
  await redis.waitUntilReady(5_000);
  let marks = 0;
  for await (const keys of redis.client.scanStream({ match: `${PREFIX}:seen:*`, count: 10_000 }))
    marks += (keys as string[]).length;
  const jobs = await redis.client.llen(`${PREFIX}:sync:wait`);
  await redis.close();
  return { marks, jobs };
}
