import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kernel/index.ts';
import { checkFields, type Fields, type PatchKind } from '../../src/patch/index.ts';
import { brokenPatch } from './broken.ts';
import { patchables } from './objects.ts';
import { Oracle, oracleBinary } from './oracle.ts';

/** The faults of a patch as `path: rule`. */
function faults(kind: PatchKind, patch: Fields): readonly string[] {
  return checkFields(kind, patch).map((problem) => {
    expect(problem).toMatchObject({ code: 'invalid_patch', kind: 'rejected' });
    expect(problem.message.startsWith(`${problem.at}: `)).toBe(true);
    return problem.message;
  });
}

const pod = (spec: Json): Fields => ({ spec: { template: { spec } } });
const container = (fields: Fields): Fields => pod({ containers: [{ name: 'app', ...fields }] });
const inContainer = 'spec.template.spec.containers[0]';

describe('checkFields', () => {
  it.each<[string, PatchKind, Fields, string]>([
    ['a misspelt field', 'deployment', pod({ tolerationz: [] }), 'spec.template.spec.tolerationz: unknown field'],
    ['another case', 'deployment', { Spec: {} }, 'Spec: unknown field'],
    ['a field of another kind', 'service', { spec: { replicas: 1 } }, 'spec.replicas: unknown field'],
    [
      'a misspelt field in a list',
      'deployment',
      pod({ tolerations: [{ key: 'a' }, { kee: 'b' }] }),
      'spec.template.spec.tolerations[1].kee: unknown field',
    ],
    [
      'text for a number',
      'deployment',
      container({ livenessProbe: { periodSeconds: '10' } }),
      `${inContainer}.livenessProbe.periodSeconds: must be a whole number of 32 bits`,
    ],
    [
      'a number beyond 32 bits',
      'service',
      { spec: { ports: [{ port: 2 ** 31 }] } },
      'spec.ports[0].port: must be a whole number of 32 bits',
    ],
    ['a broken number', 'deployment', { spec: { replicas: 1.5 } }, 'spec.replicas: must be a whole number of 32 bits'],
    [
      'a number for text',
      'deployment',
      container({ env: [{ name: 'A', value: 1 }] }),
      `${inContainer}.env[0].value: must be a string (put it in quotes)`,
    ],
    [
      'a boolean for text',
      'ingress',
      { metadata: { annotations: { 'haproxy.org/check': true } } },
      'metadata.annotations["haproxy.org/check"]: must be a string (put it in quotes)',
    ],
    [
      'text for a boolean',
      'deployment',
      pod({ hostNetwork: 'true' }),
      'spec.template.spec.hostNetwork: must be true or false',
    ],
    ['a mapping for a list', 'deployment', pod({ tolerations: {} }), 'spec.template.spec.tolerations: must be a list'],
    ['a list for a mapping', 'deployment', { spec: [] }, 'spec: must be a mapping'],
    ['a scalar for a mapping', 'deployment', { spec: 'x' }, 'spec: must be a mapping'],
    ['a scalar for a map', 'deployment', { metadata: { labels: 'x' } }, 'metadata.labels: must be a mapping'],
    [
      'no quantity',
      'deployment',
      container({ resources: { limits: { cpu: '1 core' } } }),
      `${inContainer}.resources.limits.cpu: must be a quantity such as 500m or 1Gi`,
    ],
    [
      'a list for a port',
      'deployment',
      container({ livenessProbe: { httpGet: { port: [80] } } }),
      `${inContainer}.livenessProbe.httpGet.port: must be a whole number of 32 bits or a string`,
    ],
    [
      'null in a list',
      'deployment',
      pod({ tolerations: [null] }),
      'spec.template.spec.tolerations[0]: must not be null',
    ],
    [
      'an element without its merge key',
      'deployment',
      container({ env: [{ value: 'x' }] }),
      `${inContainer}.env[0].name: an element of this list needs it`,
    ],
    [
      'a null merge key',
      'service',
      { spec: { ports: [{ port: null }] } },
      'spec.ports[0].port: an element of this list needs it',
    ],
    ['replacing the whole object', 'service', { $patch: 'replace' }, '$patch: can not replace the whole object'],
    ['an unknown directive', 'service', { spec: { $drop: [] } }, 'spec.$drop: unknown directive'],
    ['merging by directive', 'service', { spec: { $patch: 'merge' } }, 'spec.$patch: must be replace or delete'],
    ['a null directive', 'service', { spec: { $patch: null } }, 'spec.$patch: must be replace or delete'],
    [
      'text for $retainKeys',
      'service',
      { spec: { $retainKeys: 'type' } },
      'spec.$retainKeys: must be a list of field names',
    ],
    [
      'an order for a list that is replaced',
      'deployment',
      pod({ '$setElementOrder/tolerations': [] }),
      'spec.template.spec.$setElementOrder/tolerations: is for the name of a list that is merged',
    ],
    [
      'an order for no list',
      'service',
      { spec: { '$setElementOrder/portz': [] } },
      'spec.$setElementOrder/portz: is for the name of a list that is merged',
    ],
    [
      'an order without merge keys',
      'service',
      { spec: { '$setElementOrder/ports': [80] } },
      'spec.$setElementOrder/ports: must be a list of mappings with port',
    ],
    [
      'a deletion from a list of objects',
      'deployment',
      container({ '$deleteFromPrimitiveList/env': ['A'] }),
      `${inContainer}.$deleteFromPrimitiveList/env: is for the name of a list of scalars`,
    ],
    [
      'a deletion of something else',
      'deployment',
      container({ '$deleteFromPrimitiveList/args': [1] }),
      `${inContainer}.$deleteFromPrimitiveList/args: must be a list of what to remove`,
    ],
    [
      'a null deletion',
      'deployment',
      container({ '$deleteFromPrimitiveList/args': null }),
      `${inContainer}.$deleteFromPrimitiveList/args: must be a list of what to remove`,
    ],
    [
      'a directive in a list that is replaced',
      'deployment',
      pod({ tolerations: [{ $patch: 'delete', key: 'a' }] }),
      'spec.template.spec.tolerations[0].$patch: a directive has no effect here',
    ],
    [
      'a directive below a replacement',
      'deployment',
      pod({ $patch: 'replace', containers: [{ name: 'app', $patch: 'delete' }] }),
      'spec.template.spec.containers[0].$patch: a directive has no effect here',
    ],
    [
      'an order in a map',
      'service',
      { metadata: { labels: { '$setElementOrder/x': [] } } },
      'metadata.labels.$setElementOrder/x: a directive has no effect here',
    ],
    ['a name of every object', 'service', { spec: { constructor: {} } }, 'spec.constructor: unknown field'],
  ])('refuses %s', (_title, kind, patch, fault) => {
    expect(faults(kind, patch)).toEqual([fault]);
  });

  it.each<[string, PatchKind, Fields]>([
    ['null for a known field', 'deployment', pod({ tolerations: null })],
    ['null for a label', 'deployment', { metadata: { labels: { team: null } } }],
    [
      'a port by name and by number',
      'deployment',
      container({ livenessProbe: { httpGet: { port: 'service' } }, readinessProbe: { tcpSocket: { port: 80 } } }),
    ],
    [
      'quantities',
      'deployment',
      container({ resources: { limits: { cpu: 1, memory: '1.5Gi', 'ephemeral-storage': '1e3' } } }),
    ],
    [
      'every directive',
      'deployment',
      {
        metadata: {
          labels: { $patch: 'replace' },
          '$setElementOrder/finalizers': ['a'],
          '$deleteFromPrimitiveList/finalizers': ['b'],
        },
        ...pod({
          '$setElementOrder/containers': [{ name: 'app' }],
          containers: [
            {
              name: 'app',
              '$deleteFromPrimitiveList/args': ['x'],
              env: [{ $patch: 'replace' }],
              resources: { $retainKeys: ['limits'] },
            },
          ],
          volumes: [{ name: 'x', $patch: 'delete' }],
          nodeSelector: { $retainKeys: [] },
        }),
      },
    ],
  ])('takes %s', (_title, kind, patch) => {
    expect(faults(kind, patch)).toEqual([]);
  });

  it('lists at most 16 faults', () => {
    const labels = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`l${index}`, index]));
    expect(faults('service', { metadata: { labels } })).toHaveLength(16);
  });
});

const binary = await oracleBinary();

describe.skipIf(binary === undefined)('checkFields against the strict decoder of the API server', () => {
  let oracle: Oracle;
  beforeAll(() => {
    oracle = new Oracle(binary!);
  });
  afterAll(() => oracle.stop());

  it('refuses what it refuses, and nothing else', async () => {
    const objects = patchables();
    const broken = fc.constantFrom(...objects.keys()).chain((index) => {
      const { kind, object } = objects[index]!;
      return fc.tuple(fc.constant(kind), brokenPatch(kind, object));
    });
    const count = { refused: 0, taken: 0 };
    await fc.assert(
      fc.asyncProperty(broken, async ([kind, patch]) => {
        const ours = faults(kind, patch);
        // Ours alone: the server refuses later what a null in a list or an element without a key leaves out, and managed fields that are none.
        fc.pre(!ours.some((fault) => /must not be null|needs it|directive|fieldsV1/.test(fault)));
        const { error } = await oracle.strict(kind, patch);
        count[error === undefined ? 'taken' : 'refused'] += 1;
        expect({ faults: ours, error }).toEqual(
          error === undefined ? { faults: [], error } : { faults: expect.arrayContaining([expect.any(String)]), error },
        );
      }),
      {
        numRuns: Number(process.env.HAKOPOD_TEST_PAIRS ?? 1000),
        seed: Number(process.env.HAKOPOD_TEST_SEED ?? 7),
        maxSkipsPerRun: 1000,
      },
    );
    expect(Math.min(count.refused, count.taken)).toBeGreaterThan(100);
  }, 120_000);

  it('reads the same quantities', async () => {
    const parts = [
      '0',
      '1',
      '23',
      '.',
      '5',
      '-',
      '+',
      'e',
      'E',
      'Ki',
      'Mi',
      'Ei',
      'n',
      'u',
      'm',
      'k',
      'K',
      'M',
      'G',
      'T',
      'P',
      'Pi',
      ' ',
    ];
    const quantities = fc.array(fc.constantFrom(...parts), { maxLength: 5 }).map((pieces) => pieces.join(''));
    const count = { refused: 0, taken: 0 };
    await fc.assert(
      fc.asyncProperty(quantities, async (quantity) => {
        // To Kubernetes a unit without a number is none of it; we want to see a number.
        fc.pre(/^\s*[-+]?\.?\d/.test(quantity));
        const patch = container({ resources: { limits: { cpu: quantity } } });
        const { error } = await oracle.strict('deployment', patch);
        count[error === undefined ? 'taken' : 'refused'] += 1;
        expect([quantity, faults('deployment', patch).length === 0]).toEqual([quantity, error === undefined]);
      }),
      { numRuns: 2000, seed: Number(process.env.HAKOPOD_TEST_SEED ?? 7) },
    );
    expect(Math.min(count.refused, count.taken)).toBeGreaterThan(100);
  }, 60_000);
});
