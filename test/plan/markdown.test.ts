import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluateGrant } from '../../src/grant/index.ts';
import { LIMITS } from '../../src/kernel/index.ts';
import { fitMarkdown, type Plan, planBody, planJson, planRelease, planText } from '../../src/plan/index.ts';
import { parseSpecJson } from '../../src/spec/index.ts';
import { question } from '../grant/support.ts';
import { structureOf } from '../support/markdown.ts';
import { planOf } from './support.ts';

function planMarkdown(plan: Plan): string {
  const { heading, blocks } = planBody(plan);
  return fitMarkdown({ head: [heading], blocks, foot: [] });
}

function planFor(services: unknown): Plan {
  const parsed = parseSpecJson({ name: 'shop', services });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const application = parsed.application;
  const granted = evaluateGrant({ ...question(), application, previous: application });
  if (!granted.ok) throw new Error(granted.problem.code);
  return planRelease({ granted: granted.value, previous: undefined });
}

const CANARIES = ['@everyone', '<script>', '](http', '`', '</details>', '# x', '<!--', 'https://', '|', '\u202e'];
const hostile = fc
  .array(
    fc.constantFrom(...CANARIES, '```', '~~~', '\n', '\r', '\r\n', '\u2028', ' ', 'x', '"', '\u001b[0m', '+ ', '- '),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

test('nothing of the file stands outside a fence, and all fences and details are closed', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 4 }), hostile, hostile, (args, patch, value) => {
      const plan = planFor({
        web: {
          image: 'nginx',
          args,
          command: ['x', ...args],
          env: { NOTE: value.replaceAll('://', '') },
          kubernetes: { deployment: `x${patch}` },
        },
      });
      const { outside, ...rest } = structureOf(planMarkdown(plan));
      expect(rest).toMatchObject({ open: 0, inFence: false, faults: [] });
      const ours = /^(<details><summary>[a-z ()]+, \d+ lines?<\/summary>|<\/details>|### Plan: [a-z0-9 ,]+|)$/;
      expect(outside.filter((line) => !ours.test(line))).toEqual([]);
      // no character that moves the cursor, reorders text or ends a line
      expect(planMarkdown(plan) + planText(plan)).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u);
    }),
    { numRuns: 300 },
  );
});

const big = (services: number, args: number, size: number): Plan =>
  planFor(
    Object.fromEntries(
      Array.from({ length: services }, (_, i) => [
        `s${i}`,
        {
          image: 'nginx',
          port: 80,
          kubernetes: { deployment: Array.from({ length: args }, () => 'é'.repeat(size)).join('\n') },
        },
      ]),
    ),
  );

test.each([
  [1, 1, 1],
  [20, 79, 20],
  [20, 81, 40],
  [15, 80, 80],
  [15, 1, 8000],
])('%i services with %i lines of %i characters keep to the budget', (services, lines, size) => {
  const markdown = planMarkdown(big(services, lines, size));
  expect(markdown.length).toBeLessThanOrEqual(LIMITS.commentCharacters);
  expect(structureOf(markdown)).toMatchObject({ open: 0, inFence: false, faults: [] });
});

test('what does not fit is counted', () => {
  const markdown = planMarkdown(big(18, 79, 80));
  expect(markdown.length).toBeGreaterThan(LIMITS.commentCharacters - 1500);
  expect(markdown).toMatch(/_\d+ more lines did not fit/);
  expect(planMarkdown(big(1, 3, 3))).not.toContain('did not fit');
});

test('a long line and a long value are cut, and say so', () => {
  const text = planText(
    planFor({ web: { image: 'nginx', args: ['x'.repeat(4000)], kubernetes: { deployment: 'a\n'.repeat(100) } } }),
  );
  expect(text).toContain('...');
  expect(text).toContain('(20 more lines)');
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(520);
});

test('the same input gives the same bytes', () => {
  const file = 'name = "shop"\n[services.web]\nimage = "nginx"\nenv = { B = "1", A = "2" }';
  const other = 'name = "shop"\n[services.web]\nenv = { A = "2", B = "1" }\nimage = "nginx"';
  for (const render of [planJson, planText, planMarkdown]) expect(render(planOf(file))).toBe(render(planOf(other)));
});

test('no rendering holds a value of env or the cause of a refusal', () => {
  const plan = planOf('name = "shop"\n[services.web]\nimage = "nginx"\nenv = { A = "canary" }', {
    previous: 'name = "shop"\n[services.web]\nimage = "nginx"\nenv = { A = "canary2", B = "canary3" }',
  });
  const refused: Plan = {
    ...plan,
    refusals: [{ kind: 'rejected', code: 'invalid_spec', message: 'no', cause: 'canary' }],
  };
  for (const render of [planJson, planText, planMarkdown]) {
    expect(render(plan)).not.toContain('canary');
    expect(render(refused)).not.toContain('canary');
  }
});
