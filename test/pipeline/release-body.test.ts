import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/kernel/index.ts';
import { packSpec, recordedSpec, unpackSpec } from '../../src/pipeline/release-body.ts';
import { parseSpec } from '../../src/spec/index.ts';

const examples = join(import.meta.dirname, '../../examples');
const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.toml'));
const packed = (text: string | Buffer): string => gzipSync(text).toString('base64');

describe('the body of a release', () => {
  it.each(files)('of %s is shown as what is run', (name) => {
    const parsed = parseSpec(readFileSync(join(examples, name), 'utf8'));
    if (!parsed.ok) throw new Error(parsed.problems.map(({ message, at }) => `${at}: ${message}`).join('; '));
    const body = packSpec(parsed.application);
    expect(unpackSpec(body)).toEqual({ ok: true, value: parsed.application });
    expect(recordedSpec(body)).toEqual({ ok: true, value: JSON.parse(JSON.stringify(parsed.application)) });
  });

  it.each([
    ['no base64 of a gzip', 'nonsense'],
    ['no JSON', packed('{')],
    ['a list', packed('[]')],
    ['nothing', packed('null')],
    ['a text', packed('"shop"')],
    ['far more than it says', packed(Buffer.alloc(LIMITS.specBytes * 2 + 1, ' '))],
  ])('that is %s is refused by both', (_, body) => {
    for (const read of [unpackSpec, recordedSpec])
      expect(read(body)).toMatchObject({ ok: false, problem: { code: 'invalid_spec' } });
  });
});
