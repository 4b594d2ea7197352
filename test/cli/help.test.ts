import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/cli/index.ts';
import { cliWorld, runWith } from '../support/cli-world.ts';

const expected = join(import.meta.dirname, '../golden/cli-help.txt');
const runtime = { version: '1.2.3' } as Runtime;

/** Every command with its help, in the order of the help above it. */
async function helpOf(words: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const { out, code } = await runWith(runtime, [...words, '--help']);
  expect(code).toBe(0);
  const below = namesIn(out).map((name) => helpOf([...words, name]));
  return [[['hakopod', ...words].join(' '), out], ...(await Promise.all(below)).flat()];
}

/** Names of the commands a help lists: under every heading that is none of the help's own. */
function namesIn(help: string): readonly string[] {
  const [listed = ''] = help.split(/\nExamples?:\n/);
  const parts = listed.split(/\n(?=\S.*:\n)/).filter((part) => !/^(Usage|Options|Global Options|Arguments)/.test(part));
  return parts.flatMap((part) => [...part.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name));
}

describe('help', () => {
  it('is as it was reviewed', async () => {
    const all = await helpOf();
    const text = all.map(([command, help]) => `$ ${command} --help\n${help}\n`).join('\n');
    // UPDATE_GOLDEN=1 rewrites the expected file; the change is then a diff to review
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(expected, text);
    expect(text).toBe(readFileSync(expected, 'utf8'));
  });

  it('describes every argument and every command', async () => {
    for (const [command, help] of await helpOf()) {
      const usage = /^Usage: (.*)$/m.exec(help)?.[1] ?? '';
      const named = [...usage.matchAll(/[<[]([a-z-]+)[>\]]/g)].map(([, name = '']) => name);
      for (const name of named.filter((one) => one !== 'options' && one !== 'command'))
        expect(help, `${command} says what ${name} is`).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
      expect(help.split('\n')[2], `${command} says what it does`).toMatch(/\S/);
      for (const line of help.split('\n')) expect(line.length, `${command}: ${line}`).toBeLessThanOrEqual(120);
    }
  });

  it('is what `help` shows too', async () => {
    const world = await cliWorld();
    for (const words of [[], ['sources', 'grant']])
      expect((await world.run(['help', ...words])).all).toBe((await world.run([...words, '--help'])).all);
  });

  it('shows the version, and what was perhaps meant', async () => {
    expect((await runWith(runtime, ['--version'])).out).toBe('1.2.3');
    expect((await runWith(runtime, ['version'])).out).toBe('1.2.3');
    const typo = await runWith(runtime, ['stauts']);
    expect(typo).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean status?') });
  });
});
