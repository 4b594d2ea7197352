import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { planOffline } from '../../src/plan/index.ts';
import { parseSpec, specDigest } from '../../src/spec/index.ts';

const corpus = resolve(import.meta.dirname, '../../../shared/corpus');
const present = existsSync(corpus);
if (!present) console.log('skipped: the corpus of published specifications is not beside this repository');

const files = present
  ? readdirSync(corpus, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.toml'))
      .sort()
  : [];

type Verdict = { readonly verdict: string; readonly digest: string; readonly codes: readonly string[] };

/** What becomes of a file as the first release of its application: each code once, with the field it is about. */
function judge(text: string): Verdict {
  const result = parseSpec(text);
  if (!result.ok) {
    const codes = result.problems.map(({ code, at }) => `${code} ${at ?? ''}`.trim());
    return { verdict: 'invalid', digest: '', codes };
  }
  const { refusals } = planOffline(result.application, undefined);
  const codes = refusals.map(({ code, at }) => `${code} ${at ?? ''}`.trim());
  const verdict = refusals.length === 0 ? 'planned' : 'refused';
  return { verdict, digest: specDigest(result.application).slice('sha256:'.length, 23), codes };
}

const verdicts = files.map((file) => ({ file, ...judge(readFileSync(join(corpus, file), 'utf8')) }));

test.skipIf(!present)('each published specification has the verdict and the digest it had', async () => {
  const rows = verdicts.map(
    ({ file, verdict, digest, codes }) => `| ${file} | ${verdict} | ${digest} | ${codes.join(', ')} |`,
  );
  const table = ['| file | verdict | digest | refused for |', '|---|---|---|---|', ...rows, ''].join('\n');
  await expect(table).toMatchFileSnapshot('../golden/corpus-verdicts.md');
});

test.skipIf(!present)('every deployable specification plans as a first release', () => {
  const deployable = verdicts.filter(({ file }) => basename(file) === 'hakopod.toml');
  expect(deployable).toHaveLength(35);
  expect(deployable.filter(({ verdict }) => verdict !== 'planned')).toEqual([]);
});

test.skipIf(!present)('a draft is planned, or refused for what the installation does not run', () => {
  for (const { file, verdict, codes } of verdicts) {
    expect(verdict, file).not.toBe('invalid');
    for (const code of codes) expect(code, file).toMatch(/^unsupported_feature services\./);
  }
});
