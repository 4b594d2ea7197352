import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseSpec } from '../../src/spec/index.ts';

const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
const present = existsSync(corpus);
if (!present) console.log('skipped: the corpus of published specifications is not beside this repository');

test.skipIf(!present)('published specifications parse, or are refused for fields that are not supported yet', () => {
  const files = readdirSync(corpus, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.toml'));
  const refusals = new Map<string, number>();
  let accepted = 0;
  for (const file of files) {
    const result = parseSpec(readFileSync(join(corpus, file), 'utf8'));
    if (result.ok) accepted += 1;
    else {
      for (const { code, at, position } of result.problems) {
        expect(code, `${file} ${at}`).toBe('unsupported_feature');
        expect(position, `${file} ${at}`).toBeDefined();
        const field = String(at).split('.').at(-1) ?? '';
        refusals.set(field, (refusals.get(field) ?? 0) + 1);
      }
    }
  }
  const tally = [...refusals].sort((a, b) => b[1] - a[1]).map(([field, n]) => `${field} ${n}`);
  console.log(
    `corpus: ${files.length} files, ${accepted} accepted, ${files.length - accepted} refused for: ${tally.join(', ')}`,
  );
  expect(files.length).toBeGreaterThan(60);
  expect(accepted).toBeGreaterThan(0);
});
