import { until } from './redis.ts';
import { startWorld, type World } from './world.ts';

/** A server of its own role on the embedded cluster, its API, and the first administrator's key. */
export type ServedApi = { readonly world: World; readonly origin: string; readonly admin: string };

export async function serveApi(): Promise<ServedApi> {
  const world = await startWorld();
  // Nobody deploys here: what a server alone accepts stays queued.
  const serving = await world.serve({
    roles: ['server'],
    apiRateBurst: 1_000_000,
    apiRatePerSecond: 1_000_000,
    apiStreams: 600,
  });
  const origin = `http://127.0.0.1:${serving.port}`;
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'hakopod-admin-key' };
  await until(async () => (await fetch(`${origin}/api/v1/openapi.json`)).status === 200, 'the API is open');
  await until(async () => (await world.api.get(secret)).ok, 'the first key');
  const read = await world.api.get(secret);
  if (!read.ok || read.value === undefined) throw new Error('there is no first key');
  const data = read.value.data as Readonly<Record<string, string>>;
  return { world, origin, admin: Buffer.from(data.key ?? '', 'base64').toString() };
}
