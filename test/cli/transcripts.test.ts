import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withPreview, withSource, withWait } from '../support/api-world.ts';
import { type CliWorld, cliWorld } from '../support/cli-world.ts';
import type { MemoryHooks } from '../support/memory-hooks.ts';

const golden = join(import.meta.dirname, '../golden/cli-api');
const update = process.env.UPDATE_GOLDEN === '1';
/** What standard input holds; it is shown nowhere. */
const TYPED = 'canary-typed-value';
/** What servers make up, which differs from run to run or is shown once. */
const MADE_UP = /(shown once\): )\S+/g;
const LOOK_MS = 5;

/** Runs one script in a world of its own. A line is a command, `< file` or `< value` gives it standard input, `! ...` is what happens around it. */
async function transcript(folder: string, script: string): Promise<string> {
  const world = await cliWorld();
  const lines: string[] = [];
  const around: Promise<void>[] = [];
  for (const line of script.trim().split('\n')) {
    if (line.startsWith('#')) lines.push(line, '');
    else if (line.startsWith('!')) around.push(happen(world, line.slice(2).split(' ')));
    else {
      lines.push(`$ ${line}`);
      const [command = '', input] = line.split(' < ');
      const ran = await world.run(command.split(' ').slice(1), {
        folder,
        ...(input === undefined ? {} : { input: inputOf(folder, input) }),
      });
      lines.push(...(ran.all === '' ? [] : [ran.all]), `[exit ${ran.code}]`, '');
    }
  }
  await Promise.all(around);
  return `${lines.join('\n')}\n`.replace(MADE_UP, '$1***');
}

/** A file of the script's folder, or else what a person typed. */
function inputOf(folder: string, name: string): string {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : `${TYPED}\n`;
}

async function happen(world: CliWorld, [what, id = '', state, ...words]: readonly string[]): Promise<void> {
  if (what === 'source') return withSource(world);
  if (what === 'preview') return withPreview(world);
  if (what === 'waits') return withWait(world, id);
  if (what === 'delivers') return forgeDelivers(world, id);
  if (what === 'later') {
    while (!world.memory.releases.items.has(id)) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (state !== 'succeeded' && state !== 'failed' && state !== 'cancelled') throw new Error(`unknown: ! ${what}`);
  await world.end(id, state, words.length === 0 ? undefined : words.join(' '));
}

/** From now on what the forge is told to deliver to this repository's hook arrives. */
function forgeDelivers({ memory }: CliWorld, repository: string): void {
  const hooks = memory.deps.hooks as MemoryHooks;
  hooks.onTest = () => {
    const at = memory.now.toISOString();
    memory.delivered.unshift({ repository, deliveryId: undefined, verdict: 'event', at, provenBy: 'current' });
    return undefined;
  };
}

describe('commands on the API', () => {
  it.each(readdirSync(golden))('%s', async (name) => {
    const script = readFileSync(join(golden, name, 'commands.txt'), 'utf8');
    const text = await transcript(join(golden, name, 'input'), script);
    const expected = join(golden, name, 'output.txt');
    // UPDATE_GOLDEN=1 rewrites the expected files; the change is then a diff to review
    if (update) writeFileSync(expected, text);
    expect(text).toBe(readFileSync(expected, 'utf8'));
    expect(text).not.toContain(TYPED);
  });
});

describe('every command', () => {
  let run: readonly string[];
  beforeAll(() => {
    run = readdirSync(golden).flatMap((name) =>
      `\n${readFileSync(join(golden, name, 'output.txt'), 'utf8')}`.split('\n$ hakopod '),
    );
  });
  const help = readFileSync(join(golden, '../cli-help.txt'), 'utf8');
  const named = [...help.matchAll(/^\$ hakopod (.+) --help\nUsage: (.*)$/gm)].map(([, words = '', usage = '']) => ({
    words,
    usage,
  }));
  // tried in tests of their own, and the demo in itself
  const elsewhere = [
    'login',
    'logout',
    // on a terminal: cluster.test.ts
    'exec',
    'init',
    'schema',
    'manifests',
    'doctor',
    'serve',
    'demo',
    'version',
    'completion',
  ];
  const leaves = named.filter(({ words, usage }) => !usage.endsWith('[command]') && !elsewhere.includes(words));

  it.each(leaves)('$words succeeds and is refused', ({ words }) => {
    const own = run.filter((text) => text.startsWith(words));
    expect(
      own.some((text) => text.includes('[exit 0]')),
      'a success',
    ).toBe(true);
    expect(
      own.some((text) => /\[exit [1-5]\]/.test(text)),
      'a refusal',
    ).toBe(true);
  });
});
