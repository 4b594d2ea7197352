import { expect, test } from 'vitest';
import { canonicalCron, validCron, validTimezone } from '../../src/spec/cron.ts';

test.each([
  ['* * * * *', true],
  ['0 0 1 1 0', true],
  ['59 23 31 12 6', true],
  ['60 * * * *', false],
  ['* 24 * * *', false],
  ['* * 0 * *', false],
  ['* * 32 * *', false],
  ['* * * 0 *', false],
  ['* * * 13 *', false],
  ['* * * * 7', false],
  ['*/5 * * * *', true],
  ['? ? ? ? ?', true],
  ['3/5 * * * *', true],
  ['*/0 * * * *', false],
  ['1-5/2,7,10-12 * * * *', true],
  ['5-1 * * * *', false],
  ['1,,2 * * * *', false],
  [', * * * *', false],
  ['*-5 * * * *', false],
  ['1/2/3 * * * *', false],
  ['1-2-3 * * * *', false],
  ['0 0 * JAN-mar mon-FRI', true],
  ['0 0 * mon *', false],
  ['0 0 jan * *', false],
  ['0 0 * * funday', false],
  ['-1 * * * *', false],
  ['+1 * * * *', false],
  ['1.5 * * * *', false],
  ['* * * *', false],
  ['* * * * * *', false],
  ['@daily', false],
  ['TZ=UTC * * * * *', false],
  ['CRON_TZ=UTC * * * *', false],
  ['', false],
  ['*\t*  * * *', true],
  ['*\n* * * *', false],
  [`${'1,'.repeat(45)}1 * * * *`, true],
  [`${'1,'.repeat(46)}1 * * * *`, false],
])('cron %j: %s', (text, valid) => {
  expect(validCron(text)).toBe(valid);
});

test('white space between the fields is one space', () => {
  expect(canonicalCron(' 5\t4   * * MON ')).toBe('5 4 * * MON');
});

test.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['America/Argentina/Buenos_Aires', true],
  ['Etc/GMT+5', true],
  ['Asia/Kolkata', true],
  ['Asia/Calcutta', true],
  ['europe/berlin', false],
  ['utc', false],
  ['Local', false],
  ['+01:00', false],
  ['Mars/Olympus', false],
  ['../etc/passwd', false],
  ['Europe/', false],
  ['', false],
])('time zone %j: %s', (text, valid) => {
  expect(validTimezone(text)).toBe(valid);
});

test('every time zone of the runtime is one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((zone) => !validTimezone(zone))).toEqual([]);
});
