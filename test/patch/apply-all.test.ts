import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { applyPatches } from '../../src/patch/index.ts';
import { allObjects, type Rendered } from '../../src/render/index.ts';
import { inputFor, rendered } from '../render/fixture.ts';

const SHOP = `
schema_version = 1
name = "shop"

[services.api]
image = "registry.example.com/api:1"
port = 8080
public = true

[services.job]
image = "registry.example.com/api:1"
[services.job.job]
timeout_seconds = 60

[services.worker]
image = "registry.example.com/worker:1"
`;

/** The shop with these patches of `api`. */
function patched(patches: Readonly<Record<string, string>>): ReturnType<typeof applyPatches> {
  const tables = Object.entries(patches).map(([kind, text]) => `${kind} = '''\n${text}'''`);
  const input = inputFor(`${SHOP}\n[services.api.kubernetes]\n${tables.join('\n')}\n`);
  return applyPatches(input.application, rendered(input));
}

function objects(rendering: Rendered): ReadonlyMap<string, Manifest> {
  return new Map(allObjects(rendering).map((object) => [`${object.kind}/${object.metadata.name}`, object]));
}

const label = 'metadata: {labels: {team: blue}}\n';

describe('applyPatches', () => {
  it('changes the three objects of the service and no other', () => {
    const plain = objects(rendered(inputFor(SHOP)));
    const result = patched({
      deployment: label,
      service: label,
      ingress: 'metadata: {annotations: {haproxy.org/check: "x"}}\n',
    });
    if (!result.ok) throw new Error(result.problem.message);
    const after = objects(result.value);
    expect([...after.keys()]).toEqual([...plain.keys()]);
    const changed = [...after].filter(([name, object]) => JSON.stringify(object) !== JSON.stringify(plain.get(name)));
    expect(changed.map(([name]) => name).sort()).toEqual(['Deployment/api', 'Ingress/api', 'Service/api']);
    expect(after.get('Deployment/api')?.metadata.labels).toMatchObject({ team: 'blue' });
    expect(after.get('Service/api')?.metadata.labels).toMatchObject({ team: 'blue' });
    expect(after.get('Ingress/api')?.metadata.annotations).toMatchObject({ 'haproxy.org/check': 'x' });
  });

  it('leaves a rendering without patches as it is', () => {
    const input = inputFor(SHOP);
    const plain = rendered(input);
    expect(applyPatches(input.application, plain)).toEqual({ ok: true, value: plain });
  });

  it.each([
    ['deployment', 'spec: {replicaz: 1}\n', 'invalid_patch'],
    ['service', 'spec: {type: NodePort}\n', 'protected_field'],
    ['ingress', 'spec: {rules: []}\n', 'protected_field'],
  ])('refuses a patch of the %s where it stands', (kind, text, code) => {
    expect(patched({ [kind]: text })).toMatchObject({
      ok: false,
      problem: { code, at: `services.api.kubernetes.${kind}` },
    });
  });
});
