import { describe, expect, it } from 'vitest';
import { openContext } from '../../../../src/adapters/kubernetes/operations/context.ts';
import { restoreService } from '../../../../src/adapters/kubernetes/operations/deploy-restore.ts';
import { type Owner, upsert } from '../../../../src/adapters/kubernetes/operations/owned.ts';
import { renderDeployment } from '../../../../src/adapters/kubernetes/operations/render.ts';
import type { CallFailure, Manifest } from '../../../../src/kernel/index.ts';
import { newInstance, requestOf, serviceOf } from '../../../support/deploy-stage.ts';
import { ManualClock, type Script, scriptedApi } from '../../../support/scripted-cluster.ts';

const INSTANCE = newInstance();
const STAGE = { image: `registry.example.com/app@sha256:${'b'.repeat(64)}`, namespace: 'shop' };
const MAP: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web-env', namespace: 'shop' } };

function ownerOf(script: Script): { readonly owner: Owner; readonly calls: ReturnType<typeof scriptedApi>['calls'] } {
  const { api, calls } = scriptedApi(script);
  const context = openContext(new ManualClock(), 60_000);
  return { owner: { api, context, instanceId: INSTANCE.instanceId }, calls };
}

describe('a refused write', () => {
  it.each<[string, CallFailure, boolean, string, readonly string[]]>([
    ['asks about the very right', { status: 403 }, true, 'forbidden', ['create ConfigMap', 'review create configmaps']],
    [
      'is a policy with the right',
      { status: 403 },
      false,
      'admission_denied',
      ['create ConfigMap', 'review create configmaps'],
    ],
    [
      'of a budget nobody counted needs no question',
      { status: 403, hint: 'uncounted' },
      true,
      'admission_denied',
      ['create ConfigMap'],
    ],
    [
      'of a namespace on its way out needs none',
      { status: 403, hint: 'terminating' },
      true,
      'admission_denied',
      ['create ConfigMap'],
    ],
    [
      'of a policy with a status of its own needs none',
      { status: 422, hint: 'policy' },
      true,
      'admission_denied',
      ['create ConfigMap'],
    ],
    [
      'that grants more than the own rights is no policy',
      { status: 403, hint: 'escalation' },
      false,
      'forbidden',
      ['create ConfigMap'],
    ],
  ])('%s', async (_, failure, isMissing, code, keys) => {
    const { owner, calls } = ownerOf({ failures: { 'create ConfigMap': failure }, denied: () => isMissing });
    const written = await upsert(owner, MAP, undefined);
    expect(written).toMatchObject({ ok: false, failure: { outcome: 'denied', code } });
    expect(calls.map(({ key }) => key)).toEqual(keys);
    if (code === 'admission_denied') expect(written).toMatchObject({ failure: { detail: 'ConfigMap/web-env' } });
  });
});

describe('putting a service back', () => {
  it('keeps the address of a Service that was made again since', async () => {
    const request = requestOf(STAGE, INSTANCE, [
      serviceOf(STAGE, 'web', { ports: [{ protocol: 'tcp', published: 80, target: 80 }] }),
    ]);
    const [service] = renderDeployment(request);
    const network = service!.network!;
    const at = (clusterIP: string): Manifest => ({ ...network, spec: { ...(network.spec as object), clusterIP } });
    const { owner, calls } = ownerOf({ objects: [at('10.0.0.2')] });
    const standing = { network: at('10.0.0.1'), missingClaims: [] };
    await restoreService(owner, { service: service!, standing, deployment: request.deployment });
    const replaced = calls.find(({ key }) => key === 'replace Service')?.body as Manifest;
    expect(replaced.spec).toMatchObject({ clusterIP: '10.0.0.2' });
  });
});
