type Range = { readonly low: number; readonly high: number; readonly names?: readonly string[] };

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minute, hour, day of month, month, day of week, as CronJobs read them: Sunday is 0 and never 7. */
const FIELDS: readonly Range[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  { low: 1, high: 12, names: MONTHS },
  { low: 0, high: 6, names: DAYS },
];

const LONGEST = 100;
const ITEM = /^(?:[*?]|([0-9]{1,2}|[a-z]{3})(?:-([0-9]{1,2}|[a-z]{3}))?)(?:\/([0-9]{1,3}))?$/i;

/** Whether a text is a schedule of five fields (facts 1.9): lists, ranges, steps and names of months and days; no macros. */
export function validCron(text: string): boolean {
  if (text.length > LONGEST) return false;
  const fields = cronFields(text);
  return fields.length === FIELDS.length && FIELDS.every((range, i) => validField(fields[i] ?? '', range));
}

/** The fields with one space between. */
export function canonicalCron(text: string): string {
  return cronFields(text).join(' ');
}

function cronFields(text: string): readonly string[] {
  return text.trim().split(/[ \t]+/);
}

function validField(field: string, range: Range): boolean {
  return field.split(',').every((item) => validItem(item, range));
}

function validItem(item: string, range: Range): boolean {
  const match = ITEM.exec(item);
  if (match === null) return false;
  const [, first, last, step] = match;
  if (step !== undefined && Number(step) === 0) return false;
  if (first === undefined) return true;
  const from = numberOf(first, range);
  const to = last === undefined ? from : numberOf(last, range);
  return from >= range.low && to <= range.high && from <= to;
}

/** NaN, which is in no range, for a name the field does not have. */
function numberOf(text: string, { low, names = [] }: Range): number {
  if (/^\d/.test(text)) return Number(text);
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? Number.NaN : index + low;
}

/** A minute on the wall clock of some place. */
export type WallMinute = {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  /** 1 is January. */
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
};

/** A schedule that is read once and asked often. */
export type CronStarts = {
  /** Whether it starts at all on a day; minute and hour do not matter. */
  onDay(at: WallMinute): boolean;
  /** The minutes of such a day at which it starts, the latest first. */
  readonly minutes: readonly number[];
};

/**
 * When a valid schedule starts; what is none never does. As CronJobs do: when both the day of month and the day of week are restricted,
 * either is enough.
 */
export function cronStarts(text: string): CronStarts {
  const fields = cronFields(text);
  const [minutes, hours, days, months, weekdays] = FIELDS.map((range, i) => valuesOf(fields[i] ?? '', range));
  const either = [fields[2], fields[4]].every((field) => field !== undefined && !field.split(',').some(isAny));
  return {
    onDay({ day, month, weekday }) {
      const [isDay, isWeekday] = [days?.has(day) === true, weekdays?.has(weekday) === true];
      return months?.has(month) === true && (either ? isDay || isWeekday : isDay && isWeekday);
    },
    minutes: [...(hours ?? [])]
      .flatMap((hour) => [...(minutes ?? [])].map((minute) => hour * 60 + minute))
      .sort((a, b) => b - a),
  };
}

/** Whether a valid schedule starts in this minute. */
export function matchesCron(text: string, at: WallMinute): boolean {
  const starts = cronStarts(text);
  return starts.onDay(at) && starts.minutes.includes(at.hour * 60 + at.minute);
}

/** `*` with a step is a restriction, as CronJobs have it. */
function isAny(item: string): boolean {
  return /^[*?](?:\/0*1)?$/.test(item);
}

function valuesOf(field: string, range: Range): ReadonlySet<number> {
  const values = new Set<number>();
  for (const item of field.split(',')) {
    for (let value = range.low; value <= range.high; value += 1) if (matchesItem(item, range, value)) values.add(value);
  }
  return values;
}

function matchesItem(item: string, range: Range, value: number): boolean {
  const match = ITEM.exec(item);
  if (match === null) return false;
  const [, first, last, step] = match;
  const from = first === undefined ? range.low : numberOf(first, range);
  // A start with a step and no end goes on to the field's end.
  const open = first === undefined || (last === undefined && step !== undefined);
  const to = open ? range.high : numberOf(last ?? first, range);
  return value >= from && value <= to && (value - from) % Number(step ?? 1) === 0;
}

const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

/** Whether a text names an IANA time zone, written as IANA does: the cluster looks it up by exact name. At most 100 characters. */
export function validTimezone(text: string): boolean {
  if (text.length > LONGEST || !ZONE.test(text)) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
    return resolved === text || resolved.toLowerCase() !== text.toLowerCase();
  } catch {
    return false;
  }
}
