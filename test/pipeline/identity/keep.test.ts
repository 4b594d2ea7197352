import { describe, expect, it } from 'vitest';
import { fail, ok, type Problem, problem, type Result } from '../../../src/kernel/index.ts';
import { type KeepIdentity, keepIdentity } from '../../../src/pipeline/identity/index.ts';
import type { HeldLease, InstallationIdentity } from '../../../src/ports/index.ts';
import { memoryLog } from '../../support/kubernetes.ts';
import { until } from '../../support/redis.ts';

/** A Secret and a Lease in memory, and time that passes only when told. */
function world(uid = 'home') {
  let secret: InstallationIdentity | undefined;
  let holder: AbortController | undefined;
  const waiting = new Set<() => void>();
  const saves: number[] = [];
  const log = memoryLog();
  let hex = 0;
  const parts = (signal: AbortSignal): KeepIdentity => ({
    namespace: 'hakopod-system',
    everyMs: 60_000,
    signal,
    log,
    clock: {
      now: () => new Date(0),
      sleep: (_ms, abort) =>
        new Promise((resolve) => {
          const wake = (): void => {
            waiting.delete(wake);
            resolve();
          };
          if (abort?.aborted === true) return resolve();
          waiting.add(wake);
          abort?.addEventListener('abort', wake, { once: true });
        }),
    },
    random: {
      hex: (bytes) => {
        hex += 1;
        return hex.toString(16).padStart(bytes * 2, '0');
      },
    },
    cluster: {
      get: async () => ok({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hakopod-system', uid } }),
    },
    store: {
      load: async () => ok(secret),
      save: async (identity): Promise<Result<void>> => {
        saves.push(identity.generation);
        if (secret !== undefined && secret.installation !== identity.installation)
          return fail(problem('identity_conflict'));
        secret = identity;
        return ok(undefined);
      },
    },
    leases: {
      acquire: async (): Promise<Result<HeldLease>> => {
        if (holder !== undefined) return fail(problem('lease_held', undefined, { afterMs: 1 }));
        const mine = new AbortController();
        holder = mine;
        return ok({
          fence: 1,
          signal: mine.signal,
          release: async () => {
            if (holder === mine) holder = undefined;
          },
        });
      },
    },
  });
  return {
    parts,
    log,
    saves,
    get secret() {
      return secret;
    },
    put: (identity: InstallationIdentity | undefined) => {
      secret = identity;
    },
    loseLease: () => {
      holder?.abort();
      holder = undefined;
    },
    idle: (sleepers: number) => until(async () => waiting.size === sleepers, 'all sleep'),
    pass: () => {
      for (const wake of [...waiting]) wake();
    },
  };
}

function start(one: ReturnType<typeof world>) {
  const ending = new AbortController();
  const running = keepIdentity(one.parts(ending.signal));
  return {
    running,
    stop: async (): Promise<Problem | undefined> => {
      ending.abort();
      return running;
    },
  };
}

describe('the identity of an installation', () => {
  it('is made once, and taken over by the next process at a later generation', async () => {
    const one = world();
    const first = start(one);
    await one.idle(1);
    const made = one.secret;
    expect(made).toMatchObject({ generation: 1, home: { namespace: 'hakopod-system', uid: 'home' } });
    expect(await first.stop()).toBeUndefined();
    const second = start(one);
    await one.idle(1);
    expect(one.secret).toEqual({ ...made, generation: 2 });
    expect(await second.stop()).toBeUndefined();
    expect(JSON.stringify(one.log.lines)).not.toContain(made?.privateKey);
  });

  it('is saved by the holder of the Lease alone, and by another once that is gone', async () => {
    const one = world();
    const first = start(one);
    await one.idle(1);
    const second = start(one);
    await one.idle(2);
    one.pass();
    await one.idle(2);
    expect(one.saves).toEqual([1]);
    expect(await first.stop()).toBeUndefined();
    one.pass();
    await until(async () => one.saves.length === 2, 'the second takes over');
    expect(one.secret?.generation).toBe(2);
    await second.stop();
  });

  it('stops loudly, holding the Lease or not, when another installation turns up', async () => {
    for (const isHolder of [true, false]) {
      const one = world();
      const holder = start(one);
      await one.idle(1);
      const other = isHolder ? undefined : start(one);
      await one.idle(isHolder ? 1 : 2);
      one.put({ ...one.secret!, installation: 'e'.repeat(32) });
      one.pass();
      expect(await (other ?? holder).running).toMatchObject({ code: 'identity_conflict' });
      expect(one.log.lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
      await Promise.all([holder.stop(), other?.stop()]);
    }
  });

  it('stops when somebody saves without the Lease', async () => {
    const one = world();
    const holder = start(one);
    await one.idle(1);
    one.put({ ...one.secret!, generation: 9 });
    one.pass();
    expect(await holder.running).toMatchObject({ code: 'identity_conflict' });
  });

  it('stops on an identity that was made in another place', async () => {
    const one = world('here');
    one.put({
      installation: 'a'.repeat(32),
      privateKey: 'b'.repeat(64),
      home: { namespace: 'hakopod-system', uid: 'there' },
      generation: 4,
    });
    const copy = start(one);
    expect(await copy.running).toMatchObject({ code: 'identity_conflict' });
    expect(one.saves).toEqual([]);
  });

  it('sees no conflict in its successor after it lost the Lease', async () => {
    const one = world();
    const first = start(one);
    await one.idle(1);
    one.put({ ...one.secret!, generation: 2 });
    one.loseLease();
    await one.idle(1);
    one.pass();
    await until(async () => one.saves.length === 2, 'it takes the Lease again');
    expect(one.secret?.generation).toBe(3);
    expect(await first.stop()).toBeUndefined();
  });

  it('does not make a Secret again that was deleted under it', async () => {
    const one = world();
    const first = start(one);
    await one.idle(1);
    one.put(undefined);
    one.pass();
    await one.idle(1);
    one.loseLease();
    await one.idle(1);
    one.pass();
    await one.idle(1);
    expect([one.secret, one.saves]).toEqual([undefined, [1]]);
    expect(await first.stop()).toBeUndefined();
  });
});
