import { describe, expect, it } from 'vitest';
import { collectionOf } from '../../../src/adapters/kubernetes/kinds.ts';
import { customResourceDefinitions } from '../../../src/adapters/store/index.ts';

describe('the table of kinds', () => {
  it.each(customResourceDefinitions().map((crd) => [crd.metadata.name, crd] as const))('has %s', (_name, crd) => {
    const { group, names } = crd.spec as { readonly group: string; readonly names: { kind: string; plural: string } };
    const found = collectionOf({ apiVersion: `${group}/v1`, kind: names.kind, namespace: 'a' });
    expect(found).toMatchObject({ ok: true, value: { path: `/apis/${group}/v1/namespaces/a/${names.plural}` } });
  });
});
