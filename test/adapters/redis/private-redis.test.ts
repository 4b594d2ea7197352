import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connectRedis, redisAvailable, startPrivateRedis } from '../../../src/adapters/redis/index.ts';
import { until } from '../../support/redis.ts';

describe('private Redis', () => {
  it('answers to its password only, shows it to no process list, keeps nothing on disk, and ends', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'hakopod-test-'));
    const started = await startPrivateRedis({ dir });
    if (!started.ok) throw new Error(started.problem.message);
    const { url, pid, stop } = started.value;
    const { password, port } = new URL(url);
    if (process.platform === 'linux') expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
    const stranger = connectRedis(`redis://127.0.0.1:${port}`);
    expect((await stranger.waitUntilReady(300)).ok && (await stranger.ping()).ok).toBe(false);
    await stranger.close();
    const redis = connectRedis(url);
    await redis.waitUntilReady(5_000);
    await redis.client.set('key', 'value');
    await redis.close();
    await stop();
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
    await rm(dir, { recursive: true });
  });

  it.skipIf(process.platform !== 'linux')('ends when its parent is killed', async () => {
    const child = fork(fileURLToPath(new URL('./parent-of-redis.ts', import.meta.url)), { execArgv: [] });
    const [pid] = (await once(child, 'message')) as [number];
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await until(() => !isAlive(pid), 'the end of the server');
  });

  it('says how to get one where there is none', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      expect(redisAvailable()).toBe(false);
      const started = await startPrivateRedis();
      expect(started).toMatchObject({ ok: false, problem: { code: 'invalid_config' } });
      expect(!started.ok && started.problem.message).toContain('apt-get install redis-server');
    } finally {
      process.env.PATH = path;
    }
    expect(redisAvailable()).toBe(true);
  });
});

/** A zombie has ended, too: nobody may have asked for its exit yet. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
