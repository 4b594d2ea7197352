import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  allowsPeer,
  dependencyOrder,
  effectiveResources,
  PROFILES,
  peers,
  requiredSecrets,
} from '../../src/spec/index.ts';
import { dependencyCycle } from '../../src/spec/order.ts';
import { application } from './support.ts';

const graph = (edges: Readonly<Record<string, readonly string[]>>) =>
  application(
    `name = "a"\n${Object.entries(edges)
      .map(([name, list]) => `[services.${name}]\nimage = "a"\ndepends_on = ${JSON.stringify(list)}`)
      .join('\n')}`,
  );

test('dependencies come first, then names', () => {
  expect(
    dependencyOrder(graph({ web: ['api', 'db'], api: ['db', 'migrate'], db: [], migrate: ['db'], a: [] })),
  ).toEqual(['a', 'db', 'migrate', 'api', 'web']);
});

test('the order of the file does not matter', () => {
  const edges = fc
    .uniqueArray(fc.nat(19), { minLength: 1, maxLength: 20 })
    .chain((nodes) =>
      fc.tuple(
        fc.constant(nodes),
        fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 40 }),
        fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
      ),
    );
  fc.assert(
    fc.property(edges, ([nodes, pairs, shuffle]) => {
      // an edge always points to a smaller number, so there is no cycle
      const of = (n: number): readonly string[] => [
        ...new Set(pairs.filter(([a, b]) => a === n && b < a && nodes.includes(b)).map(([, b]) => `s${b}`)),
      ];
      const ordered = (list: readonly number[]) =>
        dependencyOrder(graph(Object.fromEntries(list.map((n) => [`s${n}`, of(n)]))));
      const order = ordered(nodes);
      expect(
        ordered(
          nodes
            .map((n, i) => [n, shuffle[i]!] as const)
            .sort((a, b) => a[1] - b[1])
            .map(([n]) => n),
        ),
      ).toEqual(order);
      expect(order.toSorted()).toEqual(nodes.map((n) => `s${n}`).toSorted());
      for (const n of nodes)
        for (const dependency of of(n)) expect(order.indexOf(dependency)).toBeLessThan(order.indexOf(`s${n}`));
    }),
    { numRuns: 50 },
  );
});

test('cycles are found wherever they are', () => {
  const services = (edges: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(Object.entries(edges).map(([k, v]) => [k, { depends_on: v }]));
  expect(dependencyCycle(services({ a: ['b'], b: ['c'], c: [] }))).toEqual([]);
  expect(dependencyCycle(services({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b', 'c']);
  expect(dependencyCycle(services({ a: ['a'] }))).toEqual(['a']);
  expect(dependencyCycle(services({ a: ['gone'] }))).toEqual([]);
});

test('a dense graph of 20 services is no work', () => {
  const names = Array.from({ length: 20 }, (_, i) => `s${String(i).padStart(2, '0')}`);
  const dense = graph(Object.fromEntries(names.map((name, i) => [name, names.slice(0, i)])));
  expect(dependencyOrder(dense)).toEqual(names);
});

test('peers share a network', () => {
  const app = application(
    'name = "a"\n[networks.back]\n[services.web]\nimage="a"\n[services.api]\nimage="a"\nnetworks=["default","back"]\n[services.db]\nimage="a"\nnetworks=["back"]',
  );
  expect(peers(app, 'db')).toEqual(['api']);
  expect(peers(app, 'api')).toEqual(['db', 'web']);
  expect(peers(app, 'web')).toEqual(['api']);
  expect(peers(app, 'gone')).toEqual([]);
  expect(allowsPeer(app, 'web', 'web')).toBe(false);
  expect(allowsPeer(app, 'constructor', 'web')).toBe(false);
});

test('resources are the profile with own quantities over it', () => {
  expect(effectiveResources({ size: 'medium', resources: { cpu_limit: '2' } })).toEqual({
    ...PROFILES.medium,
    cpu_limit: '2',
  });
  expect(PROFILES).toMatchObject({
    small: { cpu_request: '120m', cpu_limit: '600m', memory_request: '154Mi', memory_limit: '308Mi' },
    medium: { cpu_request: '300m', cpu_limit: '1200m', memory_request: '308Mi', memory_limit: '615Mi' },
    large: { cpu_request: '600m', cpu_limit: '2400m', memory_request: '615Mi', memory_limit: '1229Mi' },
    compute: { cpu_request: '1200m', cpu_limit: '4800m', memory_request: '2458Mi', memory_limit: '4916Mi' },
    gpu: { cpu_request: '2', cpu_limit: '8', memory_request: '8Gi', memory_limit: '16Gi' },
  });
});

test('required secrets are named once', () => {
  const app = application(
    'name = "a"\n[services.b]\nimage="a"\nsecrets.A.ref="z"\nsecrets.B.ref="y"\n[services.a]\nimage="a"\nsecrets.A.ref="z"',
  );
  expect(requiredSecrets(app)).toEqual(['y', 'z']);
});
