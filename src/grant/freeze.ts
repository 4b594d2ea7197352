import type { FreezeWindow } from '../kernel/index.ts';
import { type CronStarts, cronStarts, type WallMinute } from '../spec/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Windows that follow on each other are joined so often; what is frozen longer is looked at again then. */
const JOINED = 50;
/** No clock is set by more, and none twice within that. */
const CHANGE_MS = 3 * HOUR_MS;

/** A window that is read once, with the clock of its place. */
type Window = { readonly starts: CronStarts; readonly ms: number; readonly clock: WallClock };

/** What the clock on the wall shows at an instant, in milliseconds as if it were UTC. */
type WallClock = (at: number) => number;

/**
 * When the freeze that holds now ends; `undefined` when none does. A window lasts its minutes on the wall clock of its time zone, so one
 * over a change of the clocks ends at the hour people expect. It goes from the first time that clock shows its start to the last time it shows its
 * end: an hour that comes twice leaves no gap. Windows are valid (`policyProblem`).
 */
export function frozenUntil(windows: readonly FreezeWindow[], now: Date): Date | undefined {
  const read = windows.map(
    ({ start, minutes, timezone }): Window => ({
      starts: cronStarts(start),
      ms: minutes * MINUTE_MS,
      clock: wallClock(timezone ?? 'UTC'),
    }),
  );
  let end: number | undefined;
  for (let joined = 0; joined < JOINED; joined += 1) {
    const at = end ?? now.getTime();
    const ends = read.flatMap((window) => endOf(window, at) ?? []);
    if (ends.length === 0) break;
    end = Math.max(...ends);
  }
  return end === undefined ? undefined : new Date(end);
}

/** The end of the latest start of the window that still lasts. */
function endOf({ starts, ms, clock }: Window, now: number): number | undefined {
  const latest = Math.floor(latestShown(clock, now) / MINUTE_MS) * MINUTE_MS;
  const start = latestStart(starts, { latest, earliest: latest - ms - CHANGE_MS });
  if (start === undefined) return undefined;
  const end = lastInstantOf(start + ms, clock);
  return end > now ? end : undefined;
}

/** The latest start on the wall up to then; days it does not start on are passed over as a whole. */
function latestStart(
  { onDay, minutes }: CronStarts,
  { latest, earliest }: { readonly latest: number; readonly earliest: number },
): number | undefined {
  for (let day = Math.floor(latest / DAY_MS) * DAY_MS; day > earliest - DAY_MS; day -= DAY_MS) {
    if (!onDay(wallMinute(day))) continue;
    const minute = minutes.find((one) => day + one * MINUTE_MS <= latest);
    if (minute !== undefined) return day + minute * MINUTE_MS;
  }
  return undefined;
}

function wallClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = format.formatToParts(at);
    const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  };
}

/** The latest time the wall has shown by now: after the clock was set back, the last before that until it gets there again. */
function latestShown(clock: WallClock, now: number): number {
  const offset = (at: number): number => clock(at) - Math.floor(at / 1000) * 1000;
  const [before, after] = [offset(now - CHANGE_MS), offset(now)];
  if (before <= after) return clock(now);
  let [earlier, later] = [now - CHANGE_MS, now];
  while (later - earlier > 1000) {
    const middle = Math.floor((earlier + later) / 2);
    if (offset(middle) === before) earlier = middle;
    else later = middle;
  }
  return Math.max(clock(now), clock(earlier));
}

/** The last instant at which the wall shows this; where the clock is set forward over it, the one that comes latest. */
function lastInstantOf(wall: number, clock: WallClock): number {
  const candidates = [wall - DAY_MS, wall + DAY_MS].map((near) => wall - (clock(near) - near));
  const shown = candidates.filter((at) => clock(at) === wall);
  return Math.max(...(shown.length > 0 ? shown : candidates));
}

function wallMinute(wall: number): WallMinute {
  const at = new Date(wall);
  return {
    minute: at.getUTCMinutes(),
    hour: at.getUTCHours(),
    day: at.getUTCDate(),
    month: at.getUTCMonth() + 1,
    weekday: at.getUTCDay(),
  };
}
