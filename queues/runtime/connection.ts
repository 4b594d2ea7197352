/** Longest a producer waits for Redis; "503 within a second" leaves a little for the rest. */
export const PRODUCER_DEADLINE_MS = 900;

/**
 * Connection options of producers: every way Redis can be away fails within a second. `enableOfflineQueue: false` alone does not
 * do that (a command in flight and a frozen server hang), and a command in flight is not sent again after a reconnect, for its
 * caller has been told it failed.
 */
export function producerConnection(url: string): Record<string, unknown> & { url: string } {
  return {
    url,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
    connectTimeout: 1_000,
    retryStrategy,
  };
}

/** Connection options of workers: they outlive any outage of Redis. */
export function workerConnection(url: string): Record<string, unknown> & { url: string } {
  return { url, maxRetriesPerRequest: null, connectTimeout: 5_000, retryStrategy };
}

/** Reconnects for ever, at most a second apart. */
function retryStrategy(times: number): number {
  return Math.min(1_000, times * 100);
}
