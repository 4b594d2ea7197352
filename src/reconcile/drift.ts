import type { Manifest } from '../kernel/index.ts';
import { ANNOTATIONS } from '../render/index.ts';
import { normalForm } from './defaults.ts';
import { object } from './json.ts';
import { isAssigned, isHarmless, ownKeys } from './places.ts';

/**
 * One difference between what we want and what is there. `missing` and `changed` are fields we set, which an apply puts right. `foreign`
 * is something in a place that is ours alone, and `reordered` a list in another order; an apply leaves both. Never holds a value.
 */
export type Difference = {
  readonly path: string;
  readonly kind: 'missing' | 'changed' | 'foreign' | 'reordered';
};

type Visit = { readonly desired: Manifest; readonly found: Difference[]; readonly stale: ReadonlySet<string> };

/** Lists whose elements have an identity, and how it is read. Everything else is compared by position. */
function identity(list: string, item: unknown): string | undefined {
  const map = object(item);
  if (map === undefined) return undefined;
  if (list === 'ports') {
    const port = map.containerPort ?? map.port;
    return port === undefined ? undefined : `${String(port)}/${String(map.protocol)}`;
  }
  if (list === 'volumeMounts') return typeof map.mountPath === 'string' ? map.mountPath : undefined;
  const named = ['containers', 'initContainers', 'ephemeralContainers', 'env', 'volumes', 'imagePullSecrets'];
  return named.includes(list) && typeof map.name === 'string' ? map.name : undefined;
}

function compareLists(
  path: readonly string[],
  pair: readonly [readonly unknown[], readonly unknown[]],
  v: Visit,
): void {
  const [desired, live] = pair;
  const list = path.at(-1) ?? '';
  const wanted = desired.map((item) => identity(list, item));
  const present = live.map((item) => identity(list, item));
  const keyed = ![...wanted, ...present].includes(undefined) && new Set(present).size === present.length;
  if (!keyed) {
    const length = Math.max(desired.length, live.length);
    for (let i = 0; i < length; i += 1) compare([...path, String(i)], [desired[i], live[i]], v);
    return;
  }
  const all = [...new Set([...wanted, ...present])];
  for (const key of all) {
    compare([...path, String(key)], [desired[wanted.indexOf(key)], live[present.indexOf(key)]], v);
  }
  if (wanted.join('\n') !== present.join('\n') && wanted.every((key) => present.includes(key))) {
    if (wanted.length === present.length) v.found.push({ path: path.join('.'), kind: 'reordered' });
  }
}

/** Something we did not ask for: the API server's, a stranger's that may stay, or a difference. */
function judgeForeign(path: readonly string[], live: unknown, v: Visit): void {
  const { kind } = v.desired;
  if (isAssigned(kind, path)) return;
  const map = object(live);
  if (map !== undefined && isHarmless(kind, [...path, ''])) {
    // A map none of whose keys we set; each is judged by itself.
    for (const key of Object.keys(map)) judgeForeign([...path, key], map[key], v);
    return;
  }
  const place = path.join('.');
  if (v.stale.has(place) || !isHarmless(kind, path)) v.found.push({ path: place, kind: 'foreign' });
}

function compare(path: readonly string[], pair: readonly [unknown, unknown], v: Visit): void {
  const [desired, live] = pair;
  if (desired === undefined) {
    if (live !== undefined) judgeForeign(path, live, v);
    return;
  }
  if (live === undefined) {
    v.found.push({ path: path.join('.'), kind: 'missing' });
    return;
  }
  if (Array.isArray(desired) && Array.isArray(live)) {
    compareLists(path, [desired, live], v);
    return;
  }
  const [a, b] = [object(desired), object(live)];
  if (a !== undefined && b !== undefined) {
    for (const key of Object.keys(a)) if (a[key] !== b[key]) compare([...path, key], [a[key], b[key]], v);
    for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) judgeForeign([...path, key], b[key], v);
    return;
  }
  if (desired !== live) v.found.push({ path: path.join('.'), kind: 'changed' });
}

/** What says who wrote an object last, and in which attempt. */
const NOTES: readonly string[] = [ANNOTATIONS.operation, ANNOTATIONS.jobCreation].map(
  (key) => `metadata.annotations.${key}`,
);

/** The release that last wrote an object is a note, not a wish: alone it is no reason to write. A Deployment's revision is one. */
function isNote(difference: Difference): boolean {
  return NOTES.includes(difference.path);
}

/** Label and annotation keys we set the last time and do not set now, as paths. */
function staleKeys(desired: Manifest, live: Manifest): ReadonlySet<string> {
  const now = new Set(ownKeys(desired));
  return new Set(recordedKeys(live).filter((path) => !now.has(path)));
}

/** Annotation with the paths of the plain labels and annotations we set, so that the next release can take them back. */
export const SET_KEYS = 'hakopod.io/set-keys';

function recordedKeys(live: Manifest): readonly string[] {
  const text = live.metadata.annotations?.[SET_KEYS];
  return text === undefined ? [] : text.split(',');
}

/** The object as it is written: with the record of the plain labels and annotations it sets. */
export function sealed(desired: Manifest): Manifest {
  const keys = ownKeys(desired);
  if (keys.length === 0) return desired;
  const annotations = { ...desired.metadata.annotations, [SET_KEYS]: keys.join(',') };
  return { ...desired, metadata: { ...desired.metadata, annotations } };
}

/**
 * The differences between the object as we want it and as the API server has it, by path; empty when they mean the same. It knows the API
 * server's defaults, so it needs no server. Foreign labels and annotations in harmless places are not differences.
 */
export function drift(desired: Manifest, live: Manifest): readonly Difference[] {
  const wanted = normalForm(sealed(desired));
  const found: Difference[] = [];
  compare([], [wanted, normalForm(live)], { desired: wanted, found, stale: staleKeys(desired, live) });
  return found.filter((difference) => !isNote(difference)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Whether a difference is in the pod template, and so rolls the pods when it is put right. */
export function isInPodTemplate(difference: Difference): boolean {
  return difference.path.startsWith('spec.template.');
}
