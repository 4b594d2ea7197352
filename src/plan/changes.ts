import type { Json } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';
import { APPLICATION_FIELDS, type Rule, SERVICE_FIELDS } from './fields.ts';
import { same } from './same.ts';

/** One difference (facts 2.12). `null` stands for "was not there", as on the wire. */
export type Change = {
  /** Empty for a field of the application itself. */
  readonly service: string;
  /** `service` for a service that comes or goes. */
  readonly field: string;
  readonly before: Json;
  readonly after: Json;
  /** Values are withheld, or are names that deserve care. */
  readonly sensitive: boolean;
  /** For maps: which keys differ, since withheld values do not show it. */
  readonly keys?: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
};

type Fields = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, Rule>>;

const REDACTED = '[redacted]';

/** Every difference between two applications, services by name, fields in the order of facts 2.12. */
export function changesBetween(previous: Application | undefined, next: Application): readonly Change[] {
  const before = previous?.services ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(next.services)])].sort();
  return [
    ...fieldChanges('', APPLICATION_FIELDS, previous, next),
    ...names.flatMap((name) => serviceChanges(name, own(before, name), own(next.services, name))),
  ];
}

function own(services: Application['services'], name: string): Application['services'][string] | undefined {
  return Object.hasOwn(services, name) ? services[name] : undefined;
}

function serviceChanges(name: string, before: Fields | undefined, after: Fields | undefined): readonly Change[] {
  const service = { service: name, field: 'service', sensitive: false };
  if (after === undefined) return [{ ...service, before: 'present', after: null }];
  const fields = fieldChanges(name, SERVICE_FIELDS, before, after);
  return before === undefined ? [{ ...service, before: null, after: 'added' }, ...fields] : fields;
}

function fieldChanges(service: string, rules: Rules, before: Fields | undefined, after: Fields): readonly Change[] {
  return Object.entries(rules).flatMap(([field, rule]): readonly Change[] => {
    const old = (before === undefined ? rule.zero : before[field]) ?? null;
    const now = after[field] ?? null;
    if (same(old, now)) return [];
    const keys = rule.map ? keyDifference(old, now) : undefined;
    const shown = (value: unknown): Json => withheld(rule, value);
    return [
      { service, field, before: shown(old), after: shown(now), sensitive: rule.sensitive, ...(keys ? { keys } : {}) },
    ];
  });
}

/** What may be shown of a value: facts 2.12 hides the values of `env`, and all of `files`. */
function withheld({ shown }: Rule, value: unknown): Json {
  if (shown === 'nothing') return REDACTED;
  if (shown === 'keys') return Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, REDACTED]));
  return value as Json;
}

function keyDifference(old: unknown, now: unknown): NonNullable<Change['keys']> {
  const before = new Map(Object.entries(old ?? {}));
  const after = new Map(Object.entries(now ?? {}));
  const changed = [...after.keys()].filter((key) => before.has(key) && !same(before.get(key), after.get(key)));
  return {
    added: [...after.keys()].filter((key) => !before.has(key)).sort(),
    removed: [...before.keys()].filter((key) => !after.has(key)).sort(),
    changed: changed.sort(),
  };
}
