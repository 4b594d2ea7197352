import { expect, test } from 'vitest';
import { summarisePlan } from '../../src/plan/index.ts';
import { planOf } from './support.ts';

const service = (name: string, more = ''): string => `[services.${name}]\nimage = "nginx"\n${more}\n`;
const file = (...parts: readonly string[]): string => `name = "shop"\n[services]\n${parts.join('')}`;

test.each([
  [undefined, file(service('a')), '1 service to add'],
  [undefined, file(service('a'), service('b')), '2 services to add'],
  [file(service('a')), file(service('a')), 'no changes'],
  [
    file(service('a'), service('c')),
    file(service('a', 'port = 1'), service('b')),
    '1 service to add, 1 service to change, 1 service to remove',
  ],
  [file(service('a')), `${file(service('a'))}[networks.x]`, 'changes to the application only'],
  [undefined, file(), 'refused, 1 problem'],
])('from %j', (previous, next, summary) => {
  expect(summarisePlan(planOf(next, previous === undefined ? {} : { previous }))).toBe(summary);
});
