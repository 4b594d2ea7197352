import { Redis } from 'ioredis';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { Log } from '../../ports/index.ts';
import { BUDGET_SCRIPTS, type Budgets } from './budget-scripts.ts';
import { type Intake, SCRIPTS } from './scripts.ts';

/** Longest an exchange may take; "503 within a second" leaves a little for the rest. */
export const REDIS_DEADLINE_MS = 900;

/** The connection with our scripts. */
export type Client = Redis & Intake & Budgets;

/** A connection that fails fast. */
export type RedisHandle = {
  readonly client: Client;
  /** Prefix of every key of ours. */
  readonly prefix: string;
  /** Whether the connection stands; a frozen server is noticed by the deadline only. */
  readonly ready: () => boolean;
  /** Runs one exchange under the deadline: `queue_unavailable` when Redis is away or slow. After a timeout it may have happened. */
  attempt<T>(exchange: (client: Client) => Promise<T>): Promise<Result<T>>;
  /** Whether Redis answers now; within a second. */
  ping(): Promise<Result<void>>;
  /** Resolves when the connection stands, or fails at the deadline. */
  waitUntilReady(ms: number): Promise<Result<void>>;
  close(): Promise<void>;
};

/**
 * Connects in the background, for ever, a second apart at most. All settings are needed to fail within a second in every way
 * Redis can be away (measured): refused, killed with a command in flight, frozen, never up. A command in flight is not sent again
 * after a reconnect, for its caller has been told it failed.
 */
export function connectRedis(url: string, options: { readonly prefix?: string; readonly log?: Log } = {}): RedisHandle {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
    connectTimeout: 1_000,
    retryStrategy: (times) => Math.min(1_000, times * 100),
    scripts: { ...SCRIPTS, ...BUDGET_SCRIPTS },
  }) as Client;
  let reachable = true;
  client.on('error', (error: Error) => {
    if (reachable) options.log?.warn('Redis is away', { error: error.message });
    reachable = false;
  });
  client.on('ready', () => {
    if (!reachable) options.log?.info('Redis is back');
    reachable = true;
  });
  const ready = (): boolean => client.status === 'ready';

  async function attempt<T>(exchange: (c: Client) => Promise<T>): Promise<Result<T>> {
    if (!ready()) return fail(problem('queue_unavailable'));
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<Result<T>>((resolve) => {
      const late = (): void => resolve(fail(problem('queue_unavailable', 'Redis did not answer in time')));
      timer = setTimeout(late, REDIS_DEADLINE_MS);
    });
    const outcome = exchange(client).then(ok, (cause: unknown) =>
      fail(problem('queue_unavailable', undefined, { cause })),
    );
    try {
      return await Promise.race([outcome, timeout]);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    client,
    prefix: options.prefix ?? 'hakopod',
    ready,
    attempt,
    ping: async () => {
      const answer = await attempt((c) => c.ping());
      return answer.ok ? ok(undefined) : answer;
    },
    waitUntilReady: (ms) => waitUntilReady(client, ms),
    close: async () => client.disconnect(),
  };
}

async function waitUntilReady(client: Redis, ms: number): Promise<Result<void>> {
  if (client.status === 'ready') return ok(undefined);
  return new Promise((resolve) => {
    const onReady = (): void => {
      clearTimeout(timer);
      resolve(ok(undefined));
    };
    const timer = setTimeout(() => {
      client.off('ready', onReady);
      resolve(fail(problem('queue_unavailable')));
    }, ms);
    client.once('ready', onReady);
  });
}
