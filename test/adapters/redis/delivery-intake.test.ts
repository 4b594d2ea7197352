import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connectRedis,
  createDeliveryIntake,
  createDeliveryLog,
  type PrivateRedis,
  type RedisHandle,
} from '../../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../../src/adapters/system/index.ts';
import { fail, ok, problem, type Result } from '../../../src/kernel/index.ts';
import {
  type AcceptedPush,
  type DeliveryIntake,
  type Job,
  type JobQueue,
  pullRequestMentions,
} from '../../../src/ports/index.ts';
import { gate, silentLog, testRedis, until } from '../../support/redis.ts';

const REF = 'refs/heads/main';
let server: PrivateRedis;
let redis: RedisHandle;
beforeAll(async () => {
  server = await testRedis();
  redis = connectRedis(server.url, { prefix: 'in' });
  await redis.waitUntilReady(5_000);
});
afterAll(async () => {
  await redis.close();
  await server.stop();
});
beforeEach(async () => {
  await redis.client.flushall();
});

/** A queue that notes what it is given, and when told so, waits or fails. */
function recordingQueue(before: (jobs: readonly Job[]) => Promise<Result<void>> = async () => ok(undefined)): {
  queue: JobQueue;
  batches: (readonly Job[])[];
} {
  const batches: (readonly Job[])[] = [];
  const addAll = async (jobs: readonly Job[]): Promise<Result<void>> => {
    batches.push(jobs);
    return before(jobs);
  };
  return { batches, queue: { add: (job) => addAll([job]), addAll } };
}

function intakeOn(queue: JobQueue): DeliveryIntake {
  return createDeliveryIntake({ redis, queue, clock: createSystemClock(), log: silentLog() });
}

let nth = 0;
function push(over: Partial<AcceptedPush> = {}): AcceptedPush {
  nth += 1;
  const commit = nth.toString(16).padStart(40, '0');
  return { repository: 'shop', deliveryId: `delivery-${nth}`, ref: REF, commit, at: new Date().toISOString(), ...over };
}

async function mentioned(ref = REF): Promise<readonly string[]> {
  const found = await createDeliveryLog(redis).mentioned('shop', ref);
  if (!found.ok) throw new Error(found.problem.code);
  return found.value.map(({ commit }) => commit);
}

describe('delivery intake', () => {
  it('keeps which of two secrets proved a delivery, also of one that led to nothing', async () => {
    const intake = intakeOn(recordingQueue().queue);
    const log = createDeliveryLog(redis);
    await intake.accept(push({ provenBy: 'current' }));
    intake.record({ repository: 'shop', deliveryId: undefined, verdict: 'event', at: 'now', provenBy: 'previous' });
    await until(async () => {
      const recent = await log.recent('shop', 5);
      return recent.ok && recent.value.length === 2;
    }, 'two records');
    const recent = await log.recent('shop', 5);
    expect(recent.ok && recent.value.map(({ provenBy }) => provenBy)).toEqual(['previous', 'current']);
  });

  it('queues one preview for all that is said of a pull request, and remembers its heads apart from those of refs', async () => {
    const { queue, batches } = recordingQueue();
    const intake = intakeOn(queue);
    const ref = pullRequestMentions(7);
    const about = [
      push({ ref, pullRequest: 7 }),
      push({ ref, pullRequest: 7 }),
      push(),
      push({ ref: 'x', pullRequest: 8 }),
    ];
    expect(await Promise.all(about.map((one) => intake.accept(one)))).toEqual(about.map(() => ok('accepted')));
    expect(batches).toEqual([
      [
        { queue: 'preview', repository: 'shop', number: 7 },
        { queue: 'sync', repository: 'shop', ref: REF },
        { queue: 'preview', repository: 'shop', number: 8 },
      ],
    ]);
    expect(await mentioned(ref)).toEqual([about[0]?.commit, about[1]?.commit]);
    expect(await mentioned()).toEqual([about[2]?.commit]);
  });

  it('queues a push, remembers its commit, marks it and writes it down', async () => {
    const { queue, batches } = recordingQueue();
    const one = push();
    expect(await intakeOn(queue).accept(one)).toEqual(ok('accepted'));
    expect(batches).toEqual([[{ queue: 'sync', repository: 'shop', ref: REF }]]);
    expect(await mentioned()).toEqual([one.commit]);
    expect(await createDeliveryLog(redis).recent('shop', 5)).toEqual(ok([{ ...one, verdict: 'accepted' }]));
    const ttl = await redis.client.ttl(`in:seen:shop:${one.deliveryId}`);
    expect(ttl).toBeGreaterThan(3 * 24 * 3600 - 60);
    expect(ttl).toBeLessThanOrEqual(3 * 24 * 3600);
  });

  it('knows a duplicate, per repository, and queues and remembers nothing for it', async () => {
    const { queue, batches } = recordingQueue();
    const intake = intakeOn(queue);
    const one = push();
    await intake.accept(one);
    expect(await intake.accept({ ...one, commit: 'f'.repeat(40) })).toEqual(ok('duplicate'));
    expect(await intake.seen('shop', one.deliveryId)).toEqual(ok(true));
    expect(batches).toHaveLength(1);
    expect(await mentioned()).toEqual([one.commit]);
    expect(await intake.accept({ ...one, repository: 'other' })).toEqual(ok('accepted'));
    expect(await intake.seen('shop', undefined)).toEqual(ok(false));
    expect(await intake.seen('shop', 'another-delivery')).toEqual(ok(false));
  });

  it('takes deliveries without an id, each for itself', async () => {
    const { queue, batches } = recordingQueue();
    const intake = intakeOn(queue);
    const nameless = push({ deliveryId: undefined });
    expect(await intake.accept(nameless)).toEqual(ok('accepted'));
    expect(await intake.accept(nameless)).toEqual(ok('accepted'));
    expect(batches).toHaveLength(2);
    expect(await redis.client.keys('in:seen:*')).toEqual([]);
  });

  it('makes one batch of what arrives together, with one job per repository and ref', async () => {
    const { queue, batches } = recordingQueue();
    const intake = intakeOn(queue);
    const pushes = Array.from({ length: 40 }, (_, i) =>
      push({ ref: `refs/heads/b${i % 4}`, repository: i % 2 === 0 ? 'shop' : 'blog' }),
    );
    const fates = await Promise.all(pushes.map((one) => intake.accept(one)));
    expect(fates).toEqual(Array(40).fill(ok('accepted')));
    expect(batches).toHaveLength(1);
    expect(batches[0]).toHaveLength(4);
    expect(await mentioned('refs/heads/b0')).toHaveLength(10);
  });

  it('lets a delivery that arrives while a batch is on its way join the next, never the one that began', async () => {
    const [began, go] = [gate(), gate()];
    const { queue, batches } = recordingQueue(async () => {
      began.open();
      await go.passed;
      return ok(undefined);
    });
    const intake = intakeOn(queue);
    const first = intake.accept(push());
    await began.passed;
    const second = intake.accept(push());
    go.open();
    expect(await Promise.all([first, second])).toEqual([ok('accepted'), ok('accepted')]);
    // The same repository and ref: the worker may have resolved the ref for the first job already.
    expect(batches).toHaveLength(2);
  });

  it('accepts one of two equal deliveries in one batch', async () => {
    const { queue, batches } = recordingQueue();
    const intake = intakeOn(queue);
    const one = push();
    expect(await Promise.all([intake.accept(one), intake.accept(one)])).toEqual([ok('accepted'), ok('duplicate')]);
    expect(batches).toEqual([[{ queue: 'sync', repository: 'shop', ref: REF }]]);
  });

  it('remembers the commit before it queues, and marks only after', async () => {
    let atEnqueue: { mentioned: readonly string[]; marks: readonly string[] } | undefined;
    const { queue } = recordingQueue(async () => {
      atEnqueue = { mentioned: await mentioned(), marks: await redis.client.keys('in:seen:*') };
      return ok(undefined);
    });
    const one = push();
    await intakeOn(queue).accept(one);
    expect(atEnqueue).toEqual({ mentioned: [one.commit], marks: [] });
  });

  it('marks nothing when queueing fails, so that the forge may deliver again', async () => {
    const { queue } = recordingQueue(async () => fail(problem('queue_unavailable')));
    const one = push();
    expect(await intakeOn(queue).accept(one)).toMatchObject({ ok: false, problem: { code: 'queue_unavailable' } });
    expect(await redis.client.keys('in:seen:*')).toEqual([]);
    expect(await intakeOn(recordingQueue().queue).accept(one)).toEqual(ok('accepted'));
  });

  it('gives each delivery its own second, also behind a batch that hangs', async () => {
    const { queue } = recordingQueue(() => new Promise(() => {}));
    const intake = intakeOn(queue);
    const began = performance.now();
    const fates = await Promise.all([intake.accept(push()), intake.accept(push())]);
    const late = intake.accept(push());
    expect(fates.map(({ ok: good }) => good)).toEqual([false, false]);
    expect(performance.now() - began).toBeLessThan(1_000);
    expect((await late).ok).toBe(false);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('survives a queue that throws', async () => {
    let calls = 0;
    const { queue } = recordingQueue(async () => {
      calls += 1;
      if (calls === 1) throw new Error('a bug');
      return ok(undefined);
    });
    const intake = intakeOn(queue);
    expect((await intake.accept(push())).ok).toBe(false);
    expect(await intake.accept(push())).toEqual(ok('accepted'));
  });

  it('keeps mentions, histories and marks bounded, whatever is sent', async () => {
    const intake = intakeOn(recordingQueue().queue);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 220 }, () => intake.accept(push())));
    }
    expect(await mentioned()).toHaveLength(1_000);
    const history = await createDeliveryLog(redis).recent('shop', 10_000);
    expect(history.ok && history.value.length).toBe(100);
    await intake.accept(push({ deliveryId: 'x'.repeat(100_000) }));
    await intake.accept(push({ deliveryId: 'with:colon and space' }));
    for (const key of await redis.client.keys('*')) {
      expect(key.length).toBeLessThan(300);
      expect(await redis.client.ttl(key)).toBeGreaterThan(0);
    }
  });

  it('writes down what led to nothing, without holding anyone up', async () => {
    const intake = intakeOn(recordingQueue().queue);
    intake.record({ repository: 'shop', deliveryId: 'd', verdict: 'event', at: '2026-11-29T12:00:00.000Z' });
    const log = createDeliveryLog(redis);
    await until(async () => {
      const recent = await log.recent('shop', 1);
      return recent.ok && recent.value[0]?.verdict === 'event';
    }, 'the record');
  });
});

describe('delivery log', () => {
  it('takes a mention that somebody asks for again, and leaves the time of one that stands', async () => {
    const log = createDeliveryLog(redis);
    const [first, later] = ['2026-11-29T12:00:00.000Z', '2026-11-29T13:00:00.000Z'];
    for (const at of [first, later])
      expect(await log.mention('shop', REF, { commit: '42', at })).toEqual(ok(undefined));
    expect(await log.mentioned('shop', REF)).toEqual(ok([{ commit: '42', at: first }]));
  });

  it('forgets the commits a worker took, and only those', async () => {
    const intake = intakeOn(recordingQueue().queue);
    const [a, b] = [push(), push()];
    await intake.accept(a);
    await intake.accept(b);
    const log = createDeliveryLog(redis);
    expect(await log.forget('shop', REF, [a.commit!])).toEqual(ok(undefined));
    expect(await log.forget('shop', REF, [])).toEqual(ok(undefined));
    expect(await mentioned()).toEqual([b.commit]);
  });

  it('keeps the time of a commit’s first mention', async () => {
    const intake = intakeOn(recordingQueue().queue);
    const one = push();
    const before = Date.now();
    await intake.accept(one);
    const log = createDeliveryLog(redis);
    const first = await log.mentioned('shop', REF);
    await intake.accept({ ...one, deliveryId: 'again' });
    expect(await log.mentioned('shop', REF)).toEqual(first);
    expect(first.ok && Date.parse(first.value[0]!.at)).toBeGreaterThanOrEqual(before);
  });

  it('leaves out history lines of another version', async () => {
    await redis.client.lpush('in:deliveries:shop', 'no json', '{"verdict":"new kind"}');
    expect(await createDeliveryLog(redis).recent('shop', 5)).toEqual(ok([]));
    expect(await createDeliveryLog(redis).recent('shop', 0)).toEqual(ok([]));
  });
});
