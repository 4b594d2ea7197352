import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import { canonicalJson, describe, type Problem } from '../../src/kernel/index.ts';
import { maskedLine, type ParseResult, parseSpec, parseSpecJson, specDigest } from '../../src/spec/index.ts';

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
const env = fc.stringMatching(/^[A-Z][A-Z0-9]{0,6}Q$/);
const text = fc.string({ maxLength: 30, unit: 'grapheme' }).filter((s) => !s.includes('\0') && !s.includes('@'));

/** Files that are valid by construction, with many fields set. */
const service = fc.record(
  {
    image: fc.constantFrom('nginx', 'ghcr.io/a/b:1', `a@sha256:${'0'.repeat(64)}`),
    port: fc.integer({ min: 1, max: 65_535 }),
    public: fc.boolean(),
    size: fc.constantFrom('', 'small', 'large', 'gpu'),
    replicas: fc.integer({ min: 0, max: 20 }),
    healthcheck: fc.constantFrom('', '/healthz'),
    env: fc.dictionary(env, text, { maxKeys: 5 }),
    command: fc.array(
      text.filter((s) => s.trim() !== ''),
      { maxLength: 3 },
    ),
    args: fc.array(text, { maxLength: 3 }),
    resources: fc.constantFrom({}, { cpu_request: '0.1' }, { memory_limit: '16384Mi' }),
    ports: fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^[a-z]{1,5}$/),
        port: fc.integer({ min: 1, max: 65_535 }),
        protocol: fc.constantFrom('udp', 'UDP'),
      }),
      {
        maxLength: 4,
        selector: (port) => port.name,
      },
    ),
  },
  { requiredKeys: ['image', 'port'] },
);
const file = fc
  .record({ name, services: fc.dictionary(name, service, { minKeys: 1, maxKeys: 6 }) })
  .filter(({ services }) =>
    Object.values(services).every(
      ({ ports = [] }) =>
        new Set(ports.map((p) => p.port)).size === ports.length && ports.every((p) => p.name !== 'service'),
    ),
  );

const accepted = (result: ParseResult) => {
  if (!result.ok) throw new Error(result.problems.map(describe).join('\n'));
  return result.application;
};

test('normalising is idempotent through canonical JSON', () => {
  fc.assert(
    fc.property(file, (raw) => {
      const once = accepted(parseSpecJson(raw));
      const json = canonicalJson(once);
      const twice = accepted(parseSpecJson(JSON.parse(json)));
      expect(twice).toEqual(once);
      expect(canonicalJson(twice)).toBe(json);
    }),
  );
});

test('TOML and JSON of one file mean the same', () => {
  fc.assert(
    fc.property(file, (raw) => {
      expect(specDigest(accepted(parseSpec(stringify(raw))))).toBe(specDigest(accepted(parseSpecJson(raw))));
    }),
  );
});

test('the order of keys does not change the digest', () => {
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, below]) => [key, reversed(below)]),
        )
      : value;
  fc.assert(
    fc.property(file, (raw) => {
      expect(specDigest(accepted(parseSpecJson(reversed(raw))))).toBe(specDigest(accepted(parseSpecJson(raw))));
    }),
  );
});

const everything = (problems: readonly Problem[], source: string): string =>
  problems
    .map((p) => `${JSON.stringify(p)} ${describe(p)} ${p.position === undefined ? '' : maskedLine(source, p.position)}`)
    .join('\n');

test('parsing never throws, and every position is inside the text', () => {
  const pieces = fc.constantFrom(
    '[services.web]',
    '[[services.web.ports]]',
    'name = "a"',
    'image = "a"',
    'port = ',
    '=',
    '"',
    "'''",
    '"""',
    '[',
    ']',
    '{',
    '}',
    '\n',
    '\n',
    '\r\n',
    '#',
    '\\',
    '.',
    ',',
    '1',
    'true',
    '__proto__',
    'constructor',
    '\ufeff',
    '\u0000',
    '\ud800',
    '1979-05-27',
    'inf',
  );
  const mutated = fc.tuple(file, fc.nat(), fc.nat(8), pieces).map(([raw, at, cut, piece]) => {
    const toml = stringify(raw);
    const from = at % (toml.length + 1);
    return toml.slice(0, from) + piece + toml.slice(from + cut);
  });
  const random = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
    mutated,
  );
  fc.assert(
    fc.property(random, (source) => {
      const result = parseSpec(source);
      if (result.ok) return;
      expect(result.problems.length).toBeGreaterThan(0);
      const lines = source.split('\n');
      for (const { position } of result.problems) {
        if (position === undefined) continue;
        expect(position.line).toBeLessThanOrEqual(lines.length);
        expect(position.column).toBeLessThanOrEqual((lines[position.line - 1]?.length ?? 0) + 1);
        maskedLine(source, position);
      }
    }),
    { numRuns: 1000 },
  );
});

test('random JSON never throws', () => {
  fc.assert(
    fc.property(
      fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true }),
      (raw) => typeof parseSpecJson(raw).ok === 'boolean',
    ),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), (raw) => typeof parseSpecJson({ name: 'a', services: { web: raw } }).ok === 'boolean'),
    { numRuns: 500 },
  );
});

const CANARY = 'canary7f3a';
const FIELDS = [
  'image',
  'port',
  'ports',
  'public',
  'size',
  'resources',
  'replicas',
  'healthcheck',
  'env',
  'secrets',
  'command',
  'args',
  'depends_on',
  'networks',
  'job',
  'startup_timeout_seconds',
  'kubernetes',
  'build',
  'volume',
  'files',
  'strange',
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
    fc.dictionary(
      fc.constantFrom(
        ...FIELDS,
        'A',
        'A_TOKEN',
        'ref',
        'name',
        'timeout_seconds',
        'cpu_limit',
        'context',
        'build_args',
        'deployment',
        'ingress',
        'content',
      ),
      tie('value'),
      { maxKeys: 3 },
    ),
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
