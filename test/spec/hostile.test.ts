import { expect, test } from 'vitest';
import { parseSpec } from '../../src/spec/index.ts';

const SIZE = 262_144;
const HEAD = 'name="a"\n[services.web]\nimage="a"\n';
const fill = (head: string, line: (i: number) => string): string => {
  const lines = [head];
  for (let i = 0, size = head.length; ; i += 1) {
    const next = `${line(i)}\n`;
    size += next.length;
    if (size > SIZE) return lines.join('');
    lines.push(next);
  }
};

/** Texts of nearly 256 KiB that make a careless reader quadratic. Each takes 3 to 80 ms; the bound only catches a change of order. */
const HOSTILE: Readonly<Record<string, string>> = {
  'many services': fill('name="a"\n', (i) => `[services.s${i}]`),
  'many unknown keys': fill(HEAD, (i) => `x${i}=1`),
  'many variables': fill(`${HEAD}[services.web.env]\n`, (i) => `A${i}=""`),
  'many ports': fill(HEAD, () => '[[services.web.ports]]'),
  'many elements': `${HEAD}args=[${'1,'.repeat(125_000)}]`,
  'a long service name': fill(`name="a"\n[services.${'x'.repeat(100_000)}]\n`, (i) => `x${i}=1`),
  'a long header again and again': fill('name="a"\n[services]\n', (i) => `[services.web.a${i}.${'x'.repeat(1000)}]`),
  'deep dotted keys': `name="a"\n${'a.'.repeat(125_000)}a=1`,
  'many dotted keys': fill('name="a"\n', (i) => `services.a${i}.b.c=1`),
  'many unsafe keys': fill(HEAD, (i) => `[services.a${i}."__proto__"]`),
  'many newlines': `${'\n'.repeat(250_000)}x`,
  'half a key header': `${HEAD}env.A="${'-----BEGIN '.repeat(370)}"`,
  'a long path': `${HEAD}port=1\nhealthcheck="/${'%'.repeat(200_000)}"`,
  'a long port name': `${HEAD}[[services.web.ports]]\nport=1\nname="${'a-'.repeat(100_000)}"`,
  'a long host': `${HEAD}[domains]\n"${'a.'.repeat(100_000)}"="web"`,
};

test.each(Object.entries(HOSTILE))('%s', (_name, text) => {
  const start = performance.now();
  const result = parseSpec(text);
  expect(performance.now() - start).toBeLessThan(1500);
  if (!result.ok) expect(result.problems.length).toBeLessThan(30);
});
