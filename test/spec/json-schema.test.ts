import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DESCRIPTIONS } from '../../src/spec/descriptions.ts';
import { parseDocument, parseSpec, parseSpecJson, specJsonSchema } from '../../src/spec/index.ts';
import { describeField, type JsonSchema } from '../../src/spec/json-schema.ts';
import { SpecFile } from '../../src/spec/schema.ts';
import { accepts } from '../support/json-schema.ts';
import { APPLICATION_RULES } from './rules/application.ts';
import { BUILDING_RULES } from './rules/building.ts';
import { ENVIRONMENT_RULES } from './rules/environment.ts';
import { KIND_RULES } from './rules/kinds.ts';
import { LISTENING_RULES } from './rules/listening.ts';
import { SCALING_RULES } from './rules/scaling.ts';
import { SERVICE_RULES } from './rules/service.ts';
import { STORAGE_RULES } from './rules/storage.ts';

const root = resolve(import.meta.dirname, '../..');
const schema: JsonSchema = JSON.parse(readFileSync(join(root, 'schema/hakopod.v1.schema.json'), 'utf8'));
const RULES = [
  ...APPLICATION_RULES,
  ...BUILDING_RULES,
  ...ENVIRONMENT_RULES,
  ...KIND_RULES,
  ...LISTENING_RULES,
  ...SCALING_RULES,
  ...SERVICE_RULES,
  ...STORAGE_RULES,
];

function value(file: string): unknown {
  const document = parseDocument(file);
  return document.ok ? document.value : undefined;
}

test('the file is that of the code: npm run schema writes it', () => {
  expect(schema).toEqual(JSON.parse(JSON.stringify(specJsonSchema())));
});

/** Every part of a schema with its path. */
function parts(part: JsonSchema, at = ''): readonly (readonly [string, JsonSchema])[] {
  const { properties = {}, additionalProperties: rest, items } = part;
  const below = (key: string): string => (at === '' ? key : `${at}.${key}`);
  return [
    [at, part],
    ...Object.entries(properties).flatMap(([key, one]) => parts(one, below(key))),
    ...(typeof rest === 'object' ? parts(rest, below('*')) : []),
    ...(items === undefined ? [] : parts(items, `${at}[]`)),
  ];
}

test('every field has a description, and every description a field', () => {
  const named = parts(schema).flatMap(([at, { properties = {} }]) =>
    Object.entries(properties).map(([key, { description }]) => [`${at}/${key}`, description] as const),
  );
  expect(named.filter(([, description]) => description === undefined)).toEqual([]);
  const described = Object.entries(DESCRIPTIONS).flatMap(([at, texts]) =>
    Object.keys(texts).map((key) => `${at}/${key}`),
  );
  expect(described.sort()).toEqual(named.map(([name]) => name).sort());
});

test('no table takes a key nobody knows', () => {
  const tables = parts(schema).filter(([, { properties }]) => properties !== undefined);
  expect(tables.length).toBeGreaterThan(30);
  expect(tables.filter(([, { additionalProperties }]) => additionalProperties !== false)).toEqual([]);
});

test('every map and list is bounded, and every text and number that has a limit says it', () => {
  const open = parts(schema).filter(
    ([, { type, additionalProperties, maxProperties, maxItems }]) =>
      (typeof additionalProperties === 'object' && maxProperties === undefined) ||
      (type === 'array' && maxItems === undefined),
  );
  expect(open.map(([at]) => at)).toEqual([]);
});

test.each(RULES.map(({ rule, accept }) => [rule, accept] as const))(
  'accepts what the parser accepts: %s',
  (_rule, accept) => {
    for (const file of accept) expect(accepts(schema, value(file)), file.slice(0, 600)).toBe(true);
  },
);

const REFUSED = RULES.flatMap(({ refuse }) => refuse.map(([file]) => file)).filter((file) => value(file) !== undefined);

test('refuses most of what one field alone does wrong', () => {
  const alone = REFUSED.filter((file) => !SpecFile.safeParse(value(file)).success);
  const passed = alone.filter((file) => accepts(schema, value(file)));
  expect(alone.length).toBeGreaterThan(500);
  // ranges of quantities and cron fields, time zones, reserved paths, lengths in bytes
  expect(passed.length / alone.length).toBeLessThan(0.12);
});

const corpus = resolve(root, '../shared/corpus');
const published = existsSync(corpus)
  ? readdirSync(corpus, { recursive: true })
      .map((name) => join(corpus, String(name)))
      .filter((name) => name.endsWith('.toml'))
  : [];
if (published.length === 0)
  console.log('skipped: the corpus of published specifications is not beside this repository');
const examples = ['shop', 'worker'].map((name) => join(root, 'examples', name, 'hakopod.toml'));

test.each([...examples, ...published])('accepts %s as the parser does', (path) => {
  const text = readFileSync(path, 'utf8');
  const parsed = parseSpec(text);
  if (parsed.ok) expect(accepts(schema, value(text))).toBe(true);
});

const serviceSchema = parts(schema).find(([at]) => at === 'services.*')![1];

test('accepts whatever value of one field the parser accepts', () => {
  const fields = Object.keys(serviceSchema.properties ?? {});
  const anything = fc.oneof(
    fc.integer({ min: -2, max: 70_000 }),
    fc.string({ maxLength: 12 }),
    fc.constantFrom('', '/a', 'a', 'a/b', 'a.b', '1m', '1Gi', 'TCP', '10001', true, false),
    fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'A', 'port', 'count', 'ref'), fc.constantFrom('a', 1, '', {}), { maxKeys: 2 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...fields), anything, (field, some) => {
      const document = { name: 'a', services: { web: { image: 'a', port: 80, [field]: some } } };
      if (parseSpecJson(document).ok) expect(accepts(schema, document), JSON.stringify(document)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('a validator of others says the same', { timeout: 60_000 }, (context) => {
  const program = [
    'import json, sys, jsonschema',
    'given = json.load(sys.stdin)',
    'jsonschema.Draft7Validator.check_schema(given["schema"])',
    'validator = jsonschema.Draft7Validator(given["schema"])',
    'print(json.dumps([validator.is_valid(value) for value in given["values"]]))',
  ].join('\n');
  if (spawnSync('python3', ['-c', 'import jsonschema']).status !== 0) {
    console.log('skipped: python3 with the package jsonschema is not here');
    context.skip();
  }
  const values = [...REFUSED, ...RULES.flatMap(({ accept }) => accept)]
    .filter((file) => file.length < 10_000)
    .map(value)
    .filter((one) => one !== undefined);
  const run = spawnSync('python3', ['-c', program], {
    input: JSON.stringify({ schema, values }),
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  expect(run.stderr).toBe('');
  const theirs: readonly boolean[] = JSON.parse(run.stdout);
  const differing = values.filter((one, i) => accepts(schema, JSON.parse(JSON.stringify(one))) !== theirs[i]);
  expect(differing).toEqual([]);
});

test.each([
  ['services.web.port', { known: true, description: expect.stringContaining('Port the service listens on') }],
  ['services.web.ports[0].name', { known: true, description: 'Name of the port.' }],
  ['services.web.env.A', { known: true, description: expect.stringContaining('Variables.') }],
  ['services.web', undefined],
  ['services', { known: true, description: expect.stringContaining('Services and jobs') }],
  ['services.web.prot', { known: false, key: 'prot', siblings: expect.arrayContaining(['port']) }],
  ['recovery.x.y', { known: false, key: 'x', siblings: ['on_failure'] }],
  ['services.web.port.x', undefined],
  ['constructor', { known: false, key: 'constructor', siblings: expect.arrayContaining(['name']) }],
  ['not a path', undefined],
])('%s is described', (at, expected) => {
  expect(describeField(schema, at)).toEqual(expected);
});
