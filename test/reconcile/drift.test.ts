import { describe, expect, it } from 'vitest';
import { displayRef, refOf } from '../../src/kernel/index.ts';
import { drift } from '../../src/reconcile/index.ts';
import { allObjects } from '../../src/render/index.ts';
import { rendered } from '../render/fixture.ts';
import { marketObjects } from '../render/market.ts';
import { defaulted, fixtureOf } from './fixture.ts';
import { HARMLESS, MUTATIONS, mutated } from './mutations.ts';

describe('drift', () => {
  it.each([...defaulted()])('sees none in what a real API server made of %s', (_name, { desired, answer }) => {
    expect(drift(desired, answer)).toEqual([]);
  });

  it('has a server’s answer for everything we render, as we render it now', () => {
    for (const object of [...allObjects(rendered()), ...marketObjects()]) {
      expect(fixtureOf(displayRef(refOf(object))).desired).toEqual(JSON.parse(JSON.stringify(object)));
    }
    expect(defaulted().has('Deployment/patched')).toBe(true);
    for (const { kubernetes } of defaulted().values()) expect(kubernetes).toMatch(/^v1\.\d+\.\d+$/);
  });

  it.each(MUTATIONS.map((m) => [`${m.object}: ${m.title}`, m] as const))('sees %s', (_title, mutation) => {
    const { desired, answer } = fixtureOf(mutation.object);
    const found = drift(desired, mutated(answer, mutation));
    expect(found).not.toEqual([]);
    const foreign = found.some((d) => d.kind === 'foreign' || d.kind === 'reordered');
    expect(foreign ? 'replace' : 'apply').toBe(mutation.expect);
  });

  it.each(HARMLESS.map((m) => [`${m.object}: ${m.title}`, m] as const))('passes over %s', (_title, mutation) => {
    const { desired, answer } = fixtureOf(mutation.object);
    expect(drift(desired, mutated(answer, mutation))).toEqual([]);
  });

  it('sees any field we set that is missing, whatever it is', () => {
    const { desired, answer } = fixtureOf('Deployment/api');
    for (const field of Object.keys((answer.spec as { template: { spec: object } }).template.spec)) {
      const change = (live: { spec: { template: { spec: Record<string, unknown> } } }): unknown => {
        return delete live.spec.template.spec[field];
      };
      const defaultedAnyway = [
        'dnsPolicy',
        'restartPolicy',
        'schedulerName',
        'terminationGracePeriodSeconds',
        'serviceAccount',
      ];
      expect([field, drift(desired, mutated(answer, { change })).length > 0]).toEqual([
        field,
        !defaultedAnyway.includes(field),
      ]);
    }
  });

  it('names places, never values', () => {
    const { desired, answer } = fixtureOf('Secret/api-environment-de95b6e17447e878');
    const found = drift(desired, { ...answer, data: { SIGNING: 'c2VjcmV0' } });
    expect(found).toEqual([
      { path: 'data.DATABASE_URL', kind: 'missing' },
      { path: 'data.SIGNING', kind: 'changed' },
    ]);
  });

  it('is not fooled by a key that is special in JavaScript', () => {
    const { desired, answer } = fixtureOf('Secret/api-environment-de95b6e17447e878');
    const data = JSON.parse(JSON.stringify(answer.data).replace('{', '{"__proto__":"eA==",')) as object;
    expect(drift(desired, { ...answer, data })).toEqual([{ path: 'data.__proto__', kind: 'foreign' }]);
  });

  it('counts the revision of a Deployment, but not the release that last wrote an object', () => {
    const { desired, answer } = fixtureOf('Deployment/api');
    const annotations = { ...desired.metadata.annotations, 'hakopod.io/operation': 'acme.production.shop.9' };
    const later = { ...desired, metadata: { ...desired.metadata, annotations } };
    expect(drift(later, answer)).toEqual([]);
    const next = {
      ...later,
      metadata: { ...later.metadata, annotations: { ...annotations, 'hakopod.io/revision': '9' } },
    };
    expect(drift(next, answer)).toEqual([{ path: 'metadata.annotations.hakopod.io/revision', kind: 'changed' }]);
  });

  it('leaves replicas to an autoscaler when we do not set them', () => {
    const { desired, answer } = fixtureOf('Deployment/api');
    const { replicas: _, ...spec } = desired.spec as Record<string, unknown>;
    expect(drift({ ...desired, spec }, mutated(answer, { change: (live) => (live.spec.replicas = 9) }))).toEqual([]);
  });
});
