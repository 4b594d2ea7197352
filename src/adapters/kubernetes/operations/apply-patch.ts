import { at, type Fields, type Manifest, records } from '../../../kernel/index.ts';
import type { EnvEntry, WorkloadConfiguration, WorkloadContainer } from '../../../ports/cluster-operations/index.ts';
import { rawContainers } from './apply-obstacles.ts';
import { readContainer } from './read-container.ts';
import { configurationOf } from './read-workload.ts';

/**
 * The strategic merge patch that makes a workload as wanted (cluster operations 5 and 19): only what differs from the object as read, and its
 * version, which stays alone when nothing does. Containers merge by name, variables too; lists of arguments are replaced whole.
 */
export function configurationPatch(spec: WorkloadConfiguration, live: Manifest): object {
  const read = configurationOf(spec.target, live);
  const lists = (['containers', 'initContainers'] as const).flatMap((list) => {
    const patches = rawContainers(live, list).flatMap((raw) => {
      const wanted = spec[list].find((container) => container.name === raw.name);
      return wanted === undefined ? [] : containerPatch(wanted, raw);
    });
    return patches.length === 0 ? [] : [[list, patches] as const];
  });
  const paused = spec.paused ?? false;
  const changes = {
    ...(spec.replicas === undefined || spec.replicas === read.replicas ? {} : { replicas: spec.replicas }),
    ...(spec.target.kind !== 'deployment' || paused === read.paused ? {} : { paused }),
    ...(lists.length === 0 ? {} : { template: { spec: Object.fromEntries(lists) } }),
  };
  const metadata = { resourceVersion: live.metadata.resourceVersion };
  return Object.keys(changes).length === 0 ? { metadata } : { metadata, spec: changes };
}

/** The change of one container, or none. */
function containerPatch(wanted: WorkloadContainer, raw: Fields): readonly object[] {
  const read = readContainer(raw, new Set());
  const resources = resourcesPatch(wanted, read);
  const changes = {
    ...(wanted.image === read.image ? {} : { image: wanted.image }),
    ...argumentsPatch('command', wanted, read),
    ...argumentsPatch('args', wanted, read),
    ...envPatch(wanted.env, read.env, records(raw.env)),
    ...(Object.keys(resources).length === 0 ? {} : { resources }),
  };
  return Object.keys(changes).length === 0 ? [] : [{ name: wanted.name, ...changes }];
}

function argumentsPatch(field: 'command' | 'args', wanted: WorkloadContainer, read: WorkloadContainer): object {
  const [next, now] = [wanted[field], read[field]];
  if (JSON.stringify(next) === JSON.stringify(now)) return {};
  return { [field]: next.length === 0 ? null : next };
}

/** Only cpu and memory; an empty quantity removes the one key. */
function resourcesPatch(wanted: WorkloadContainer, read: WorkloadContainer): Readonly<Record<string, object>> {
  const kinds = (['requests', 'limits'] as const).flatMap((kind) => {
    const keys = (['cpu', 'memory'] as const).flatMap((key) => {
      const next = wanted.resources[kind][key];
      return next === read.resources[kind][key] ? [] : [[key, next === '' ? null : next] as const];
    });
    return keys.length === 0 ? [] : [[kind, Object.fromEntries(keys)] as const];
  });
  return Object.fromEntries(kinds);
}

/**
 * Variables by name: those that map to the same stay the entry they are, with its `optional`; the order of all is told, as a later one may
 * refer to an earlier one.
 */
function envPatch(wanted: readonly EnvEntry[], read: readonly EnvEntry[], raw: readonly Fields[]): object {
  const before = new Map(read.map((entry) => [entry.name, entry]));
  const names = new Set(wanted.map(({ name }) => name));
  const isSameOrder = wanted.length === read.length && wanted.every(({ name }, i) => read[i]?.name === name);
  const changed = wanted.filter((entry) => !isSame(entry, before.get(entry.name)));
  if (isSameOrder && changed.length === 0) return {};
  const removed = read.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, $patch: 'delete' }));
  const entries = changed.map((entry) =>
    entryPatch(
      entry,
      raw.find((one) => one.name === entry.name),
    ),
  );
  const env = [...entries, ...removed];
  if (wanted.length === 0) return { env };
  return { '$setElementOrder/env': wanted.map(({ name }) => ({ name })), ...(env.length === 0 ? {} : { env }) };
}

function isSame(a: EnvEntry, b: EnvEntry | undefined): boolean {
  return b !== undefined && a.value === b.value && a.secret === b.secret && a.configMap === b.configMap;
}

/** An entry as wanted, with what the live one has and it has not removed by name. */
function entryPatch(entry: EnvEntry, live: Fields | undefined): object {
  const source = entrySource(entry);
  if (source === undefined) {
    const { name, value = '' } = entry;
    return { name, value, ...(live?.valueFrom === undefined ? {} : { valueFrom: null }) };
  }
  const old = Object.keys((at(live, 'valueFrom') ?? {}) as object).filter((field) => field !== source.field);
  const gone = Object.fromEntries(old.map((field) => [field, null]));
  const optional = at(live, 'valueFrom', source.field, 'optional') === undefined ? {} : { optional: null };
  return {
    name: entry.name,
    ...(live?.value === undefined ? {} : { value: null }),
    valueFrom: { ...gone, [source.field]: { ...source.reference, ...optional } },
  };
}

/** Where an entry's value comes from, in Kubernetes' words; undefined for a literal. */
export function entrySource(
  entry: EnvEntry,
): { readonly field: 'secretKeyRef' | 'configMapKeyRef'; readonly reference: object } | undefined {
  const text = entry.secret ?? entry.configMap;
  if (text === undefined) return undefined;
  const [name, key] = text.split('/');
  return { field: entry.secret === undefined ? 'configMapKeyRef' : 'secretKeyRef', reference: { name, key } };
}
