import type { ApiList, ClusterApi, Right } from '../../src/adapters/kubernetes/api.ts';
import type { Answer, CallFailure, Manifest, ObjectRef } from '../../src/kernel/index.ts';
import type { Clock } from '../../src/ports/index.ts';

/** Time that passes only when told. */
export class ManualClock implements Clock {
  #now = Date.parse('2026-11-29T12:00:00.000Z');
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();

  now(): Date {
    return new Date(this.#now);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        resolve();
      });
    });
  }

  /** Lets time pass and everything that was waiting for it run. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settled();
  }
}

/** Resolves when everything that waits for nothing from outside has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A call as it was made; `key` is such as `get Pod/shop/web` or `review patch deployments`. */
export type Recorded = { readonly key: string; readonly body?: unknown };

export type Script = {
  readonly objects?: readonly Manifest[];
  /** By the beginning of a call's key: the failure it meets. */
  readonly failures?: Readonly<Record<string, CallFailure>>;
  /** By the beginning of a call's key: a call that is never answered, but for the end of its signal. */
  readonly silent?: readonly string[];
  readonly denied?: (right: Right) => boolean;
  readonly version?: Readonly<Record<string, unknown>>;
};

function refKey({ kind, namespace, name }: ObjectRef): string {
  return [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
}

/** A cluster of a few objects that records what it is asked and fails as told. Writes change nothing. */
export function scriptedApi(script: Script = {}): { readonly api: ClusterApi; readonly calls: Recorded[] } {
  const { objects = [], failures = {}, silent = [] } = script;
  const calls: Recorded[] = [];
  const answer = async <T>(call: Recorded, signal: AbortSignal, value: () => T | undefined): Promise<Answer<T>> => {
    calls.push(call);
    if (silent.some((key) => call.key.startsWith(key)))
      await new Promise<void>((end) => (signal.aborted ? end() : signal.addEventListener('abort', () => end())));
    if (signal.aborted) return { ok: false, failure: {} };
    const told = Object.entries(failures).find(([key]) => call.key.startsWith(key));
    if (told !== undefined) return { ok: false, failure: told[1] };
    const found = value();
    return found === undefined ? { ok: false, failure: { status: 404 } } : { ok: true, value: found };
  };
  const find = (ref: ObjectRef): Manifest | undefined =>
    objects.find(
      ({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name && metadata.namespace === ref.namespace,
    );
  const api: ClusterApi = {
    get: (ref, signal) => answer({ key: `get ${refKey(ref)}` }, signal, () => find(ref)),
    list: (query: ApiList, signal) =>
      answer({ key: `list ${query.kind}`, body: query }, signal, () => {
        const items = objects.filter(({ kind }) => kind === query.kind);
        return { items: items.slice(0, query.limit), more: items.length > (query.limit ?? items.length) };
      }),
    create: (body, signal) => answer({ key: `create ${body.kind}`, body }, signal, () => body),
    replace: (body, signal) => answer({ key: `replace ${body.kind}`, body }, signal, () => body),
    patch: (ref, body, signal) => answer({ key: `patch ${refKey(ref)}`, body }, signal, () => find(ref)),
    delete: async (ref, body, signal) => {
      const deleted = await answer({ key: `delete ${refKey(ref)}`, body }, signal, () => find(ref));
      return deleted.ok ? { ok: true, value: undefined } : deleted;
    },
    review: (right, signal) => {
      const resource = [right.resource, right.subresource].filter(Boolean).join('/');
      const key = `review ${right.verb} ${resource}`;
      return answer({ key, body: right }, signal, () => script.denied?.(right) !== true);
    },
    version: (signal) =>
      answer({ key: 'version' }, signal, () => script.version ?? { gitVersion: 'v1.35.4', platform: 'linux/amd64' }),
  };
  return { api, calls };
}

/** A pod as the API server gives it, Running, with one container `web` unless told otherwise. */
export function podManifest(
  overrides: { readonly spec?: object; readonly status?: object; readonly metadata?: object } = {},
): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', uid: '0b0f3c1e-0000-4000-8000-000000000001', ...overrides.metadata },
    spec: { containers: [{ name: 'web', image: 'nginx:1.27' }], ...overrides.spec },
    status: { phase: 'Running', ...overrides.status },
  };
}
