import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Runtime, runCli } from '../../src/cli/index.ts';

const golden = join(import.meta.dirname, '../golden/cli');
const update = process.env.UPDATE_GOLDEN === '1';
const runtime = { version: '1.2.3' } as Runtime;

/** What a person sees of some commands in a folder: both streams in their order, then the exit code. */
async function transcript(folder: string, commands: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const print = (line: string): void => {
    lines.push(line);
  };
  for (const command of commands) {
    lines.push(`$ hakopod ${command}`);
    const terminal = { out: print, err: print, readInput: async () => '', folder };
    const code = await runCli(runtime, terminal, command.split(' '));
    lines.push(`[exit ${code}]`, '');
  }
  return `${lines.join('\n')}\n`;
}

// UPDATE_GOLDEN=1 rewrites the expected files; the change is then a diff to review
test.each(readdirSync(golden))('%s', async (name) => {
  const commands = readFileSync(join(golden, name, 'commands.txt'), 'utf8')
    .trim()
    .split('\n');
  const text = await transcript(join(golden, name, 'input'), commands);
  const expected = join(golden, name, 'output.txt');
  if (update) writeFileSync(expected, text);
  expect(text).toBe(readFileSync(expected, 'utf8'));
  // every value of the files has this word in it
  expect(text).not.toContain('canary');
});
