import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalJson, describe } from '../../src/kernel/index.ts';
import { parseSpec, parseSpecJson, specDigest } from '../../src/spec/index.ts';

const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
const present = existsSync(corpus);
if (!present) console.log('skipped: the corpus of published specifications is not beside this repository');

/** Drafts that are refused, with the codes and fields. None is: what a draft lacks is told by the plan. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {};

const files = present
  ? readdirSync(corpus, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.toml'))
  : [];

test.skipIf(!present)('the corpus is whole', () => {
  expect(files.length).toBeGreaterThan(60);
  expect(files.filter((file) => basename(file) === 'hakopod.toml').length).toBeGreaterThan(30);
});

test.skipIf(!present).each(files)('%s', (file) => {
  const result = parseSpec(readFileSync(join(corpus, file), 'utf8'));
  const refused = result.ok ? [] : result.problems.map((p) => `${p.code} ${describe(p)}`);
  expect(refused).toEqual(REFUSED[file] ?? []);
  if (!result.ok) return;
  const again = parseSpecJson(JSON.parse(canonicalJson(result.application)));
  expect(again.ok && specDigest(again.application)).toBe(specDigest(result.application));
  expect(again).toMatchObject({ ok: true, application: result.application });
});
