import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { AcceptedPush, Clock, DeliveryIntake, DeliveryRecord, Job, JobQueue, Log } from '../../ports/index.ts';
import { REDIS_DEADLINE_MS, type RedisHandle } from './connect.ts';
import { historyKey, markKey, mentionedKey } from './keys.ts';

type Fate = Result<'accepted' | 'duplicate'>;

/** One delivery on its way in; `settle` is called once, later calls change nothing. */
type Entry = {
  readonly push: AcceptedPush;
  readonly mark: string;
  settled: boolean;
  readonly settle: (fate: Fate) => void;
};

/** Deliveries in one batch, and those that may wait for the next: a burst beyond it is told 503 at once instead of late. */
const BATCH = 256;
const WAITING = 10_000;
/** Records of ignored deliveries not yet written; more are dropped, for they are for people only. */
const RECORDS = 1_000;

/**
 * The receiver's way in. Deliveries that arrive while a batch is on its way form the next one, so a burst costs few round trips
 * and a single delivery waits for nobody. A batch is: duplicate check and remembering the mentioned commits (one script), one job
 * per distinct repository and ref or pull request, then marks and history (one script). The worker may resolve a ref as soon as its job is
 * queued, so a delivery never joins a batch that has begun. The next batch begins when this one's jobs are queued: its duplicate check is
 * sent behind this batch's marks on the same connection, and Redis answers in order.
 */
export function createDeliveryIntake(options: {
  readonly redis: RedisHandle;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly log: Log;
}): DeliveryIntake {
  const { redis, queue, clock, log } = options;
  const waiting: Entry[] = [];
  let records: DeliveryRecord[] = [];
  let busy = false;

  async function work(): Promise<void> {
    busy = true;
    // Deliveries read in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH).filter((entry) => !entry.settled);
      if (batch.length === 0) continue;
      try {
        await carry(batch);
      } catch (error) {
        log.error('a batch of deliveries threw, which is a bug', { error });
        for (const entry of batch) entry.settle(fail(problem('queue_unavailable')));
      }
    }
    busy = false;
  }

  async function carry(batch: readonly Entry[]): Promise<void> {
    const { firsts, repeats } = splitRepeats(batch);
    const admitted = await redis.attempt((c) => {
      const sets = firsts.map(({ push }) => mentionedKey(redis.prefix, push.repository, push.ref));
      const commits = firsts.map(({ push }) => push.commit ?? '');
      const marks = firsts.map(({ mark }) => mark);
      return c.hakopodAdmit(firsts.length * 2, ...marks, ...sets, String(clock.now().getTime()), ...commits);
    });
    if (!admitted.ok) return settleAll(batch, admitted);
    const fresh = firsts.filter((_entry, index) => admitted.value[index] !== 1);
    const seen = firsts.filter((_entry, index) => admitted.value[index] === 1);
    settleAll(seen, ok('duplicate'));
    for (const { push } of seen) record(asRecord(push, 'duplicate'));

    const queued = fresh.length === 0 ? ok(undefined) : await queue.addAll(distinctJobs(fresh));
    if (!queued.ok) {
      settleAll(fresh, queued);
      settleAll(repeats, queued);
      return;
    }
    for (const { push } of repeats) record(asRecord(push, 'duplicate'));
    // Not awaited: what follows on this connection is answered after it.
    void writeDown(fresh).then(() => {
      settleAll(fresh, ok('accepted'));
      settleAll(repeats, ok('duplicate'));
    });
  }

  /** Marks and history. Without the marks a redelivery queues the same job again, which is harmless, so a failure changes no fate. */
  async function writeDown(entries: readonly Entry[]): Promise<void> {
    const taken = records;
    records = [];
    const lines = [...entries.map(({ push }) => asRecord(push, 'accepted')), ...taken];
    if (lines.length === 0) return;
    const marks = [...entries.map(({ mark }) => mark), ...taken.map(() => '')];
    const written = await redis.attempt((c) => {
      const histories = lines.map(({ repository }) => historyKey(redis.prefix, repository));
      return c.hakopodSeen(lines.length * 2, ...marks, ...histories, ...lines.map((line) => JSON.stringify(line)));
    });
    if (!written.ok) log.warn('deliveries were queued but not recorded', { count: lines.length });
  }

  function record(line: DeliveryRecord): void {
    if (records.length >= RECORDS) return;
    records.push(line);
    if (records.length > 1 || busy) return;
    // With no batch on its way to take it along, it goes alone.
    setImmediate(() => {
      if (records.length > 0 && !busy) void writeDown([]);
    });
  }

  return {
    accept(push): Promise<Fate> {
      if (!redis.ready() || waiting.length >= WAITING) return Promise.resolve(fail(problem('queue_unavailable')));
      return new Promise((resolve) => {
        const entry: Entry = {
          push,
          mark: markKey(redis.prefix, push.repository, push.deliveryId),
          settled: false,
          settle: (fate) => {
            if (entry.settled) return;
            entry.settled = true;
            clearTimeout(timer);
            resolve(fate);
          },
        };
        // Its own deadline from its own arrival, whatever the batch before it does.
        const timer = setTimeout(() => entry.settle(fail(problem('queue_unavailable'))), REDIS_DEADLINE_MS);
        waiting.push(entry);
        if (!busy) void work();
      });
    },

    async seen(repository, deliveryId): Promise<Result<boolean>> {
      const mark = markKey(redis.prefix, repository, deliveryId);
      const found = await redis.attempt((c) => (mark === '' ? c.ping().then(() => 0) : c.exists(mark)));
      return found.ok ? ok(found.value === 1) : found;
    },

    record,
  };
}

/** Separates deliveries whose mark already stands in the batch; they share the fate of the first. */
function splitRepeats(batch: readonly Entry[]): {
  readonly firsts: readonly Entry[];
  readonly repeats: readonly Entry[];
} {
  const marks = new Set<string>();
  const firsts: Entry[] = [];
  const repeats: Entry[] = [];
  for (const entry of batch) {
    if (entry.mark !== '' && marks.has(entry.mark)) {
      repeats.push(entry);
      continue;
    }
    marks.add(entry.mark);
    firsts.push(entry);
  }
  return { firsts, repeats };
}

/** One job per ref or pull request, however many deliveries of the batch speak of it. */
function distinctJobs(entries: readonly Entry[]): readonly Job[] {
  const jobs = new Map<string, Job>();
  for (const { push } of entries) {
    const { repository, ref, pullRequest: number } = push;
    const job: Job =
      number === undefined ? { queue: 'sync', repository, ref } : { queue: 'preview', repository, number };
    jobs.set(`${repository} ${ref}`, job);
  }
  return [...jobs.values()];
}

function asRecord(push: AcceptedPush, verdict: 'accepted' | 'duplicate'): DeliveryRecord {
  const { repository, deliveryId, ref, commit, at, provenBy } = push;
  return {
    ...{ repository, deliveryId, verdict, ref, at },
    ...(commit === undefined ? {} : { commit }),
    ...(provenBy === undefined ? {} : { provenBy }),
  };
}

function settleAll(entries: readonly Entry[], fate: Fate | Result<never>): void {
  for (const entry of entries) entry.settle(fate as Fate);
}
