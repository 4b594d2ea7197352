/** Writes the tables of README.md that come from the code: settings and error codes. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { Config, variableOf } from '../src/config.ts';
import { CODES } from '../src/kernel/index.ts';

const file = join(import.meta.dirname, '..', 'README.md');

function settings(): string {
  const defaults = Config.parse({}) as Readonly<Record<string, unknown>>;
  const rows = Object.entries(Config.shape as Readonly<Record<string, z.ZodType>>).map(([name, type]) => {
    const value = defaults[name];
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
    const shown = text === '' ? '' : `\`${text}\``;
    return `| \`${variableOf(name)}\` | ${shown} | ${type.description ?? ''} |`;
  });
  return ['| variable | default | what |', '|---|---|---|', ...rows].join('\n');
}

function codes(): string {
  const rows = Object.entries(CODES).map(([code, { kind, meaning }]) => `| \`${code}\` | ${kind} | ${meaning} |`);
  return ['| code | kind | meaning |', '|---|---|---|', ...rows].join('\n');
}

function replaced(text: string, name: string, table: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(open) + open.length, text.indexOf(close)];
  return `${text.slice(0, from)}\n${table}\n${text.slice(to)}`;
}

const before = readFileSync(file, 'utf8');
const after = replaced(replaced(before, 'settings', settings()), 'codes', codes());
if (process.argv.includes('--check')) {
  if (before !== after) {
    console.error('README.md is behind the code: run node scripts/generate-readme.ts');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, after);
}
