import { at, type Fields } from './objects.ts';

/** One requirement of a label selector. */
export type Requirement =
  | { readonly op: 'in' | 'notin'; readonly key: string; readonly values: readonly string[] }
  | { readonly op: 'exists' | 'absent'; readonly key: string };

/** One term of a field selector. */
export type FieldTerm = { readonly path: string; readonly equal: boolean; readonly value: string };

const KEY = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?\/)?[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?$/;
const VALUE = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?)?$/;

/** Splits at commas outside parentheses. */
function terms(selector: string): readonly string[] {
  return selector.split(/,(?![^(]*\))/).map((term) => term.trim());
}

function requirement(term: string): Requirement | undefined {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return { op: set[2] === 'in' ? 'in' : 'notin', key: set[1] ?? '', values };
  }
  const equal = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (equal) return { op: equal[2] === '!=' ? 'notin' : 'in', key: equal[1] ?? '', values: [equal[3] ?? ''] };
  if (term.startsWith('!')) return { op: 'absent', key: term.slice(1).trim() };
  return { op: 'exists', key: term };
}

function valid(r: Requirement): boolean {
  return KEY.test(r.key) && (!('values' in r) || r.values.every((value) => VALUE.test(value)));
}

/** Parses a label selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas; undefined when malformed. */
export function parseLabelSelector(selector: string): readonly Requirement[] | undefined {
  if (selector.trim() === '') return [];
  const parsed: Requirement[] = [];
  for (const term of terms(selector)) {
    const r = requirement(term);
    if (r === undefined || !valid(r)) return undefined;
    parsed.push(r);
  }
  return parsed;
}

/** Whether labels meet all requirements. As in Kubernetes, `!=` and `notin` also select objects without the label. */
export function matchesLabels(requirements: readonly Requirement[], labels: Fields | undefined): boolean {
  return requirements.every((r) => {
    const value = labels?.[r.key];
    if (!('values' in r)) return (value !== undefined) === (r.op === 'exists');
    const listed = typeof value === 'string' && r.values.includes(value);
    return r.op === 'in' ? listed : !listed;
  });
}

/** Parses a field selector: `path=value`, `path==value`, `path!=value`, joined by commas; undefined when malformed. */
export function parseFieldSelector(selector: string): readonly FieldTerm[] | undefined {
  const parsed: FieldTerm[] = [];
  for (const term of selector.split(',')) {
    if (term.trim() === '') continue;
    const m = /^([^=!]+?)(==|=|!=)(.*)$/.exec(term.trim());
    if (m === null) return undefined;
    parsed.push({ path: m[1] ?? '', equal: m[2] !== '!=', value: m[3] ?? '' });
  }
  return parsed;
}

/** The text a field selector compares: absent fields are empty, other scalars their text. */
export function fieldText(object: unknown, path: string): string {
  const value = at(object, ...path.split('.'));
  return value === undefined || value === null ? '' : String(value);
}

/** Whether an object meets all terms. */
export function matchesFields(terms: readonly FieldTerm[], object: unknown): boolean {
  return terms.every((term) => (fieldText(object, term.path) === term.value) === term.equal);
}
