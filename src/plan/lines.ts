import type { Json } from '../kernel/index.ts';
import type { Change } from './changes.ts';
import { same } from './same.ts';
import type { ServiceGroup } from './summary.ts';

/** Characters of one line, and lines of one value; what is longer is cut and says so. */
const LINE = 500;
const LINES = 80;

/** All lines of one group. */
export function groupLines({ changes, kind }: ServiceGroup): readonly string[] {
  return changes.flatMap((change) => changeLines(change, kind === 'added'));
}

/**
 * A change as lines that begin with `+`, `-` or `~`; nothing from the file can begin a line or carry a control character. Of a service that
 * is new only what it gets is shown, not what nothing had before.
 */
function changeLines(change: Change, isNew: boolean): readonly string[] {
  const { field, before, after, keys } = change;
  if (field === 'service') return [after === null ? '- service' : '+ service'];
  if (keys !== undefined && change.sensitive) return keyLines(change, keys);
  const [was, is] =
    isRecord(before) && isRecord(after) ? [without(before, after), without(after, before)] : [before, after];
  const old = isNew || isEmpty(was) ? [] : valueLines('-', field, was);
  const now = isEmpty(is) ? [] : valueLines('+', field, is);
  return [...old, ...now];
}

/** What of a table the other one does not say too. */
function without(table: Table, other: Table): Table {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
      const there = Object.hasOwn(other, key) ? other[key] : undefined;
      if (isRecord(value) && isRecord(there)) {
        const rest = without(value, there);
        return Object.keys(rest).length === 0 ? [] : [[key, rest]];
      }
      return same(value, there) ? [] : [[key, value]];
    }),
  );
}

/** Withheld maps: the names of what differs. References, which are no values, follow the name. */
function keyLines(change: Change, keys: NonNullable<Change['keys']>): readonly string[] {
  const line = (sign: string, key: string, from: Json): string =>
    visible(`${sign} ${change.field}.${key}${reference(from, key)}`);
  return [
    ...keys.removed.map((key) => line('-', key, change.before)),
    ...keys.added.map((key) => line('+', key, change.after)),
    ...keys.changed.map((key) => line('~', key, change.after)),
  ];
}

function reference(map: Json, key: string): string {
  const entry = isRecord(map) ? map[key] : undefined;
  if (!isRecord(entry)) return '';
  const { ref, provider } = entry;
  if (typeof ref === 'string') return ` (secret ${ref})`;
  return typeof provider === 'string' ? ` (secret of provider ${provider})` : '';
}

function valueLines(sign: string, field: string, value: Json): readonly string[] {
  if (typeof value !== 'string' && !isRecord(value)) return [visible(`${sign} ${field}: ${JSON.stringify(value)}`)];
  if (isRecord(value)) {
    return (
      Object.keys(value)
        .sort()
        // an empty text in a table says "not set"
        .filter((key) => value[key] !== undefined && value[key] !== '')
        .flatMap((key) => valueLines(sign, `${field}.${key}`, value[key] ?? null))
    );
  }
  const lines = value.replace(/\n$/, '').split(/\r\n|\n|\r/);
  if (lines.length === 1) return [visible(`${sign} ${field}: ${value}`)];
  const shown = lines.slice(0, LINES).map((line) => visible(`${sign}     ${line}`));
  const more = lines.length - shown.length;
  return [`${sign} ${visible(field)}: |`, ...shown, ...(more > 0 ? [`${sign}     (${more} more lines)`] : [])];
}

/** Cut to a line's length; control, format and line-separating characters become visible escapes. */
export function visible(text: string): string {
  const points = text.length > LINE ? [...text.slice(0, LINE * 2)] : undefined;
  const cut = points !== undefined && points.length > LINE ? `${points.slice(0, LINE).join('')}...` : text;
  return cut.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`,
  );
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

type Table = { readonly [key: string]: Json };

function isRecord(value: Json | undefined): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
