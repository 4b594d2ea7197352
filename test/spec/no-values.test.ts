import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { describe, type Problem } from '../../src/kernel/index.ts';
import { maskedLine, parseSpec, parseSpecJson } from '../../src/spec/index.ts';
import { ServiceFile } from '../../src/spec/schema.ts';

const everything = (problems: readonly Problem[], source: string): string =>
  problems
    .map((p) => `${JSON.stringify(p)} ${describe(p)} ${p.position === undefined ? '' : maskedLine(source, p.position)}`)
    .join('\n');

const CANARY = 'canary7f3a';
const FIELDS = [...Object.keys(ServiceFile.shape), 'strange'];
/** Keys of the tables below. */
const BELOW = [
  'A',
  'A_TOKEN',
  'ref',
  'provider',
  'path',
  'key',
  'name',
  'service',
  'protocol',
  'username',
  'database',
  'password',
  'timeout_seconds',
  'schedule',
  'cron',
  'timezone',
  'invocation',
  'allowed_identities',
  'cpu_limit',
  'context',
  'build_args',
  'build_secrets',
  'deployment',
  'ingress',
  'content',
  'secret',
  'mount_path',
  'volume',
  'sub_path',
  'hostname',
  'certificate',
  'issuer',
  'port',
  'source_cidrs',
  'domain',
  'from',
  'from_applications',
  'repository',
  'labels',
];
const planted: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      CANARY,
      `${CANARY} x`,
      `https://u:${CANARY}@host`,
      `/${CANARY} #`,
      [CANARY],
      `${CANARY}\n"""\n'''`,
      `{{${CANARY}`,
      `${CANARY.toUpperCase()}\u0000`,
    ),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...FIELDS, ...BELOW), tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('no message, path or excerpt contains a value', () => {
  const root = fc.record(
    {
      schema_version: planted,
      name: fc.oneof(planted, fc.constant('a')),
      services: fc.oneof(
        planted,
        fc.dictionary(
          fc.constantFrom('web', 'api'),
          fc.dictionary(fc.constantFrom(...FIELDS), planted, { maxKeys: 8 }),
        ),
      ),
      networks: planted,
      domains: fc.oneof(planted, fc.constant({ 'a.example.com': CANARY })),
      volumes: planted,
      env: planted,
      secrets: planted,
      env_file: planted,
      inject_env: planted,
      recovery: planted,
    },
    { requiredKeys: ['name', 'services'] },
  );
  fc.assert(
    fc.property(root, fc.nat(), fc.constantFrom('', '"', '[', '=', "'''", '\n'), (raw, at, piece) => {
      const toml = stringify(raw);
      const json = parseSpecJson(raw);
      if (!json.ok) expect(everything(json.problems, toml).toLowerCase()).not.toContain(CANARY);
      // broken only where no value stands: a syntax error elsewhere may turn a value into a key
      const broken = `${toml}\n${piece === '\n' ? '' : piece}`;
      const result = parseSpec(at % 2 === 0 ? toml : broken);
      if (!result.ok) expect(everything(result.problems, broken).toLowerCase()).not.toContain(CANARY);
    }),
    { numRuns: 500 },
  );
});
