import type { ClusterApi } from '../../src/adapters/kubernetes/api.ts';
import type { Answer } from '../../src/kernel/index.ts';
import { displayRef, type Manifest, type ObjectRef, refOf } from '../../src/kernel/index.ts';

/** A call as it was made; `key` is such as `replace Service/web` or `review create deployments`. */
export type RecordedCall = { readonly key: string; readonly body?: unknown };

/** What a call meets instead of, or before, the cluster: an answer, or something done first. */
export type Interference = () => Answer<never> | undefined | Promise<Answer<never> | undefined>;

/** A failure of this status. */
export function refused(status: number | undefined, fields: readonly string[] = []): Answer<never> {
  return { ok: false, failure: status === undefined ? {} : { status, fields } };
}

export type RecordedApi = {
  readonly api: ClusterApi;
  readonly calls: RecordedCall[];
  /** Keys of calls that would change something. */
  writes(): readonly string[];
  /** The next call whose key starts so meets this; `times` of them. */
  meet(key: string, interference: Interference, times?: number): void;
};

const WRITES = ['create', 'replace', 'patch', 'delete'];

/**
 * A cluster's calls recorded and interfered with. `assumeReady`: a Deployment written through it reads as rolled out, so that a test of what is
 * written needs not wait for pods.
 */
export function recordedApi(inner: ClusterApi, options: { readonly assumeReady?: boolean } = {}): RecordedApi {
  const calls: RecordedCall[] = [];
  const met: { key: string; interference: Interference; times: number }[] = [];
  const written = new Map<string, Manifest>();
  const through = async <T>(key: string, body: unknown, call: () => Promise<Answer<T>>): Promise<Answer<T>> => {
    calls.push(body === undefined ? { key } : { key, body });
    const index = met.findIndex((one) => key.startsWith(one.key));
    const found = met[index];
    if (found !== undefined) {
      found.times -= 1;
      if (found.times === 0) met.splice(index, 1);
      const answer = await found.interference();
      if (answer !== undefined) return answer;
    }
    return call();
  };
  const note = (answer: Answer<Manifest>): Answer<Manifest> => {
    if (answer.ok && answer.value.kind === 'Deployment') written.set(answer.value.metadata.name, answer.value);
    return answer;
  };
  const get = async (ref: ObjectRef, signal: AbortSignal): Promise<Answer<Manifest>> => {
    const answer = await inner.get(ref, signal);
    const isAssumed = options.assumeReady === true && ref.kind === 'Deployment' && written.has(ref.name);
    return answer.ok && isAssumed ? { ok: true, value: rolledOut(answer.value) } : answer;
  };
  const api: ClusterApi = {
    get: (ref, signal) => through(`get ${displayRef(ref)}`, undefined, () => get(ref, signal)),
    list: (query, signal) =>
      through(`list ${query.kind}`, query, async () => {
        if (query.kind === 'Pod' && options.assumeReady === true && written.size > 0)
          return { ok: true, value: { items: podsFor([...written.values()], query.labelSelector ?? ''), more: false } };
        return inner.list(query, signal);
      }),
    create: (body, signal) =>
      through(`create ${displayRef(refOf(body))}`, body, async () => note(await inner.create(body, signal))),
    replace: (body, signal) =>
      through(`replace ${displayRef(refOf(body))}`, body, async () => note(await inner.replace(body, signal))),
    patch: (ref, patch, signal) =>
      through(`patch ${displayRef(ref)}`, patch, async () => note(await inner.patch(ref, patch, signal))),
    delete: (ref, deletion, signal) =>
      through(`delete ${displayRef(ref)}`, deletion, () => inner.delete(ref, deletion, signal)),
    review: (right, signal) =>
      through(`review ${right.verb} ${right.resource}`, right, () => inner.review(right, signal)),
    version: (signal) => through('version', undefined, () => inner.version(signal)),
  };
  return {
    api,
    calls,
    writes: () => calls.map(({ key }) => key).filter((key) => WRITES.some((verb) => key.startsWith(`${verb} `))),
    meet: (key, interference, times = 1) => void met.push({ key, interference, times }),
  };
}

type Spec = {
  readonly replicas?: number;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: { readonly metadata: object; readonly spec: object };
};

/** A Deployment as it stands once its rollout is done. */
export function rolledOut(deployment: Manifest, status: object = {}): Manifest {
  const count = (deployment.spec as Spec).replicas ?? 1;
  const counts = { replicas: count, updatedReplicas: count, readyReplicas: count, availableReplicas: count };
  return { ...deployment, status: { observedGeneration: deployment.metadata.generation ?? 0, ...counts, ...status } };
}

/** The ready pods of rolled out Deployments that a selector selects. */
export function podsFor(deployments: readonly Manifest[], selector: string): readonly Manifest[] {
  return deployments.flatMap((deployment) => {
    const { replicas = 1, selector: own, template } = deployment.spec as Spec;
    const text = Object.entries(own.matchLabels).map(([key, value]) => `${key}=${value}`);
    if (text.join() !== selector) return [];
    return Array.from({ length: replicas }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...template.metadata, name: `${deployment.metadata.name}-${i}` },
      spec: template.spec,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    }));
  });
}
