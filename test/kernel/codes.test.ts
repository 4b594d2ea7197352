import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CODES } from '../../src/kernel/index.ts';

const root = resolve(import.meta.dirname, '../..');

function textOf(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).filter(
        (entry) => entry.isFile() && entry.name.endsWith('.ts'),
      ),
    )
    .filter((entry) => entry.name !== 'codes.ts' && entry.name !== 'codes.test.ts')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('the catalogue of codes', () => {
  const sources = textOf('src', 'queues');
  const tests = textOf('test');
  const readme = readFileSync(join(root, 'README.md'), 'utf8');

  it('has only codes that something answers with', () => {
    expect(Object.keys(CODES).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });

  it('has only codes that a test sees', () => {
    const isSeen = (code: string): boolean => new RegExp(`['"\`[ ]${code}\\b`).test(tests);
    expect(Object.keys(CODES).filter((code) => !isSeen(code))).toEqual([]);
  });

  it('stands in the README, each with its kind and meaning, and nothing else does', () => {
    const table = readme.slice(readme.indexOf('<!-- codes -->'), readme.indexOf('<!-- /codes -->'));
    const rows = [...table.matchAll(/^\| `(\w+)` \| (\w+) \| (.*) \|$/gm)].map(([, code, kind, meaning]) => [
      code,
      kind,
      meaning,
    ]);
    expect(rows).toEqual(Object.entries(CODES).map(([code, { kind, meaning }]) => [code, kind, meaning]));
  });
});
