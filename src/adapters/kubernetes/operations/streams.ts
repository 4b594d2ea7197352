import type { Readable } from 'node:stream';
import type { Answer } from '../../../kernel/index.ts';
import { OPERATION_LIMITS } from '../../../ports/cluster-operations/index.ts';
import type { Channels } from '../channels.ts';
import { type Client, discard } from '../client.ts';
import { objectPath } from '../kinds.ts';

export type PodName = { readonly namespace: string; readonly name: string };

/** The two ends a stream of channels calls back. */
export type ChannelEnds = {
  readonly onFrame: (channel: number, data: Buffer) => void;
  readonly onGone: () => void;
};

/** The calls of a pod that stream, apart from `ClusterApi` because their answers have no end of their own. */
export interface PodStreams {
  /** The log as the container wrote it. The signal ends it at any time. */
  log(pod: PodName, query: URLSearchParams, signal: AbortSignal): Promise<Answer<Readable>>;
  /** Opens an exec. Absent on a client without a cluster configuration. */
  exec?(pod: PodName, query: URLSearchParams, ends: ChannelEnds): Promise<Answer<Channels>>;
}

/** `PodStreams` over a connection; `exec` is there when the connection can open channels. */
export function createStreams(client: Client): PodStreams {
  const { connection } = client;
  const open = connection.open?.bind(connection);
  const log: PodStreams['log'] = async (pod, query, signal) => {
    const path = pathOf(pod, 'log', query);
    if (path === undefined) return NO_ANSWER;
    try {
      // 0: a container may be silent for as long as it likes; who asked sets the time
      const answer = await connection.send({
        method: 'GET',
        path,
        accept: '*/*',
        userAgent: client.userAgent,
        watchIdleMs: 0,
        signal,
      });
      if (answer.status === 200) return { ok: true, value: answer.body };
      discard(answer.body);
      return { ok: false, failure: { status: answer.status } };
    } catch {
      return NO_ANSWER;
    }
  };
  if (open === undefined) return { log };
  return {
    log,
    exec: async (pod, query, ends) => {
      const path = pathOf(pod, 'exec', query);
      if (path === undefined) return NO_ANSWER;
      try {
        return { ok: true, value: await open({ path, setupMs: OPERATION_LIMITS.callMs, ...ends }) };
      } catch (error) {
        return { ok: false, failure: refusalOf(error) };
      }
    },
  };
}

const NO_ANSWER = { ok: false, failure: {} } as const;

function pathOf({ namespace, name }: PodName, subresource: 'log' | 'exec', query: URLSearchParams): string | undefined {
  const target = objectPath({ apiVersion: 'v1', kind: 'Pod', namespace, name });
  return target.ok ? `${target.value.path}/${subresource}?${query}` : undefined;
}

/** The library tells a refused upgrade only in words. */
function refusalOf(error: unknown): { readonly status?: number } {
  const status = /^Unexpected server response: (\d{3})$/.exec(
    (error as { message?: string } | undefined)?.message ?? '',
  );
  return status === null ? {} : { status: Number(status[1]) };
}
