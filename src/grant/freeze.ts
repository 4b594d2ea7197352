import type { FreezeWindow } from '../kernel/index.ts';
import { matchesCron, type WallMinute } from '../spec/index.ts';

const MINUTE_MS = 60_000;
/** Windows that follow on each other are joined so often; what is frozen longer is looked at again then. */
const JOINED = 50;

/**
 * When the freeze that holds now ends; `undefined` when none does. A window lasts its minutes on the wall clock of its time zone, so one
 * over a change of the clocks ends at the hour people expect. Windows are valid (`policyProblem`).
 */
export function frozenUntil(windows: readonly FreezeWindow[], now: Date): Date | undefined {
  let end: Date | undefined;
  for (let joined = 0; joined < JOINED; joined += 1) {
    const at = end ?? now;
    const ends = windows.flatMap((window) => endOf(window, at) ?? []);
    if (ends.length === 0) return end;
    end = new Date(Math.max(...ends.map((each) => each.getTime())));
  }
  return end;
}

/** The end of the latest start of the window that still lasts. */
function endOf(window: FreezeWindow, now: Date): Date | undefined {
  const zone = window.timezone ?? 'UTC';
  const wall = wallTime(now, zone);
  const minute = Math.floor(wall / MINUTE_MS) * MINUTE_MS;
  for (let ago = 0; ago < window.minutes; ago += 1) {
    const start = minute - ago * MINUTE_MS;
    if (matchesCron(window.start, wallMinute(start))) return instantOf(start + window.minutes * MINUTE_MS, zone, now);
  }
  return undefined;
}

/** What the clock on the wall shows, in milliseconds as if it were UTC. */
function wallTime(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
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

/** The instant at which the wall shows this; after `now`, also where the clocks change in between. */
function instantOf(wall: number, zone: string, now: Date): Date {
  const offset = (at: Date): number => wallTime(at, zone) - Math.floor(at.getTime() / 1000) * 1000;
  const guess = new Date(wall - offset(now));
  const corrected = new Date(wall - offset(guess));
  return corrected > now ? corrected : guess;
}
