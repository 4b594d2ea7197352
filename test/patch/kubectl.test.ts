import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Json } from '../../src/kernel/index.ts';
import { checkFields, type Fields, parsePatch, strategicMerge } from '../../src/patch/index.ts';
import { run } from '../cluster/rig/cache.ts';
import { patchFor } from './arbitrary.ts';
import { CASES, OBJECTS } from './cases.ts';
import { patchable, patchables } from './objects.ts';
import { Oracle, oracleBinary } from './oracle.ts';

/** Pairs of an object and a patch that passes our check of fields. */
const PAIRS = Number(process.env.HAKOPOD_TEST_PAIRS ?? 600);

const binary = await oracleBinary();

/** A patch as people write it: YAML in the dialect kubectl reads. */
function yamlOf(patch: Fields): string {
  return stringify(patch, { version: '1.1', aliasDuplicateObjects: false });
}

describe.skipIf(binary === undefined)('against kubectl', () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = new Oracle(binary!);
  });
  afterAll(() => oracle.stop());

  it(`merges ${PAIRS} pairs of rendered object and patch as kubectl does`, async () => {
    const seen = new Map<string, number>();
    const count = (word: string): unknown => seen.set(word, (seen.get(word) ?? 0) + 1);
    const objects = patchables();
    const pairs = fc
      .constantFrom(...objects.keys())
      .chain((index) => fc.tuple(fc.constant(index), patchFor(objects[index]!.kind, objects[index]!.object)));
    await fc.assert(
      fc.asyncProperty(pairs, async ([index, patch]) => {
        const { kind, object } = objects[index]!;
        fc.pre(checkFields(kind, patch).length === 0);
        const text = yamlOf(patch);
        const read = parsePatch(text);
        expect(read).toEqual({ ok: true, value: patch });
        const ours = strategicMerge(kind, object, patch);
        // The one answer of kubectl that is left to chance.
        fc.pre(ours.ok || !ours.problem.message.includes('removes what the patch also adds'));
        const theirs = await oracle.patch(object, text);
        count(kind);
        count(ours.ok ? 'merged' : 'refused');
        if (ours.ok) for (const word of text.match(/\$\w+|\bnull\b/g) ?? []) count(word);
        expect(ours.ok ? { result: ours.value } : { refused: ours.problem.message, why: theirs.error }).toEqual(
          theirs.error === undefined ? { result: theirs.result } : { refused: expect.any(String), why: theirs.error },
        );
      }),
      { numRuns: PAIRS, seed: Number(process.env.HAKOPOD_TEST_SEED ?? 7), maxSkipsPerRun: 1000 },
    );
    for (const word of [
      'deployment',
      'service',
      'ingress',
      '$patch',
      '$retainKeys',
      '$setElementOrder',
      '$deleteFromPrimitiveList',
      'null',
    ]) {
      expect([word, (seen.get(word) ?? 0) >= 20]).toEqual([word, true]);
    }
    expect(seen.get('merged') ?? 0).toBeGreaterThanOrEqual(400);
    if (process.env.HAKOPOD_TEST_SEED !== undefined) console.log(Object.fromEntries(seen));
  }, 120_000);

  it.each(['service', 'ingress'] as const)(
    'is kubectl itself: a program of its own says the same of a %s',
    async (kind) => {
      const { text } = CASES.find((one) => one.kind === kind)!;
      const file = join(mkdtempSync(join(tmpdir(), 'hakopod-patch-')), 'patch.yaml');
      writeFileSync(file, text);
      const args = ['kubectl', 'patch', '--local', '--type=strategic', '-f', '-', '--patch-file', file, '-o', 'json'];
      const said = await run(binary!, args, { input: JSON.stringify(OBJECTS[kind]) });
      rmSync(dirname(file), { recursive: true });
      expect({ result: JSON.parse(said) }).toEqual(await oracle.patch(OBJECTS[kind], text));
    },
  );

  it('makes of UDP 53 where TCP 53 is what kubectl makes of it: one port, now UDP', async () => {
    const { object } = patchable('service');
    const patch = { spec: { ports: [{ name: 'dns-udp', port: 53, protocol: 'UDP', targetPort: 53 }] } };
    const ours = strategicMerge('service', object, patch);
    expect({ result: ours.ok && ours.value }).toEqual(await oracle.patch(object, yamlOf(patch)));
    const ports = ours.ok ? ((ours.value.spec as Fields).ports as readonly Json[]) : [];
    expect(ports).toContainEqual({ name: 'dns-udp', port: 53, protocol: 'UDP', targetPort: 53 });
    expect(JSON.stringify(ports)).not.toContain('"protocol":"TCP","port":53');
    expect(ports).toHaveLength(((object.spec as Fields).ports as readonly Json[]).length);
  });
});
