import type { Manifest } from '../../kernel/index.ts';
import { at, isRecord, record, records, text } from './objects.ts';

/**
 * How the containers of a pod behave:
 * - `ready`: a service becomes ready, a job's pod succeeds.
 * - `fail`: never ready. `ImagePullBackOff`, `ErrImagePull`, `CreateContainerConfigError` and the like wait before the start; anything else
 *   (`CrashLoopBackOff`, `Error`) exits with `exitCode`, again and again, or once as a job's pod.
 * - `hang`: runs, but is never ready and never ends.
 * - `delay`: as `ready`, after `ms` more.
 *
 * `log` is what `pods/log` answers.
 */
export type Behaviour =
  | 'ready'
  | { readonly kind: 'ready'; readonly log?: string }
  | { readonly kind: 'fail'; readonly reason: string; readonly exitCode?: number; readonly log?: string }
  | { readonly kind: 'hang'; readonly log?: string }
  | { readonly kind: 'delay'; readonly ms: number; readonly log?: string };

/** By image, `namespace/name` (of the pod, its Deployment or its Job) or `hakopod.io/service` label. */
export type Behaviours = Readonly<Record<string, Behaviour>>;

export type PlainBehaviour = Exclude<Behaviour, string>;

/** Annotation on a pod template: a behaviour's name, or a behaviour as JSON. */
export const BEHAVIOUR = 'embedded.hakopod.io/behaviour';

const SERVICE = 'hakopod.io/service';

function plain(behaviour: Behaviour): PlainBehaviour {
  return typeof behaviour === 'string' ? { kind: 'ready' } : behaviour;
}

function annotated(pod: Manifest): PlainBehaviour | undefined {
  const value = pod.metadata.annotations?.[BEHAVIOUR];
  if (value === undefined) return undefined;
  if (value === 'ready' || value === 'hang') return { kind: value };
  if (!value.startsWith('{')) return { kind: 'fail', reason: value };
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) && typeof parsed.kind === 'string' ? (parsed as PlainBehaviour) : undefined;
  } catch {
    return undefined;
  }
}

/** What a pod was told: by its annotation, else by its image, its workload's name or its service; `ready` when nobody said anything. */
export function behaviourOf(pod: Manifest, behaviours: Behaviours): PlainBehaviour {
  const own = annotated(pod);
  if (own !== undefined) return own;
  const images = records(at(pod, 'spec', 'containers')).map((container) => text(container.image) ?? '');
  const namespace = pod.metadata.namespace ?? '';
  const labels = record(pod.metadata.labels);
  const names = [pod.metadata.name, text(labels['job-name']), workloadName(pod)].filter((name) => name !== undefined);
  const service = text(labels[SERVICE]);
  for (const key of [
    ...names.map((name) => `${namespace}/${name}`),
    ...images,
    ...(service === undefined ? [] : [service]),
  ]) {
    const found = behaviours[key];
    if (found !== undefined) return plain(found);
  }
  return { kind: 'ready' };
}

/** The Deployment's name: a pod is called `<deployment>-<hash>-<suffix>`. */
function workloadName(pod: Manifest): string | undefined {
  const hash = pod.metadata.labels?.['pod-template-hash'];
  const end = hash === undefined ? -1 : pod.metadata.name.lastIndexOf(`-${hash}-`);
  return end < 0 ? undefined : pod.metadata.name.slice(0, end);
}
