import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperationDeps } from '../../src/adapters/kubernetes/operations/deps.ts';
import { inspect } from '../../src/adapters/kubernetes/operations/inspect.ts';
import { operate } from '../../src/adapters/kubernetes/operations/operate.ts';
import { snapshot } from '../../src/adapters/kubernetes/operations/snapshot.ts';
import { createStreams } from '../../src/adapters/kubernetes/operations/streams.ts';
import { createRequests } from '../../src/adapters/kubernetes/requests.ts';
import type { Inspection } from '../../src/ports/cluster-operations/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { shows } from '../support/claims.ts';
import { type ClusterUnderTest, connectReal, inNewNamespace, memoryLog, realClock } from '../support/kubernetes.ts';
import { pushBusybox } from '../support/real-pods.ts';
import { until } from '../support/world.ts';

/* A Deployment whose pod really runs. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const isPossible = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!isPossible) console.warn('SKIPPED: a Deployment with real pods: there is no rig with a node');

describe.skipIf(!isPossible)('a Deployment with a real pod', () => {
  let under: ClusterUnderTest;
  let deps: OperationDeps;
  let image: string;

  beforeAll(async () => {
    under = await inNewNamespace(connectReal(kubeconfig!));
    const { connection } = under;
    const client = { connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 30_000 };
    deps = { api: createRequests(client), streams: createStreams(client), clock: realClock, log: memoryLog() };
    image = await pushBusybox({ registry: registry!, storage: rig! });
  });
  afterAll(() => under?.close());

  /** The one Deployment of the namespace, once its pod is ready. */
  async function ready() {
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: under.namespace, name: 'kept' };
    if (must(await under.cluster.get(ref)) === undefined) {
      const { kind, apiVersion, ...metadata } = ref;
      const labels = { app: 'kept' };
      const containers = [{ name: 'main', image, command: ['sleep', '3600'] }];
      const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } };
      const spec = { selector: { matchLabels: labels }, template };
      must(await under.cluster.create({ apiVersion, kind, metadata, spec }));
    }
    const uid = must(await under.cluster.get(ref))?.metadata.uid ?? '';
    let seen: Exclude<Inspection, { missing: true }> | undefined;
    await until(
      'the Deployment is ready',
      async () => {
        const now = must(await inspect(deps, { namespace: under.namespace, name: 'kept', uid }));
        if (now.missing || now.available !== 1 || now.pods.length !== 1) return false;
        seen = now;
        return true;
      },
      60_000,
    );
    return seen!;
  }

  it(`${shows('inspect', 'whole', 'conditions')} sees a Deployment's conditions and pods`, async () => {
    const seen = await ready();
    expect(seen).toMatchObject({ desired: 1, ready: 1, available: 1, pods: [{ phase: 'Running' }] });
    expect(seen.conditions.map(({ type, status, reason }) => [type, status, reason]).sort()).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    expect(seen.pods[0]?.containers).toEqual([
      { name: 'main', image: '', imageId: '', state: 'running', ready: true, restarts: 0 },
    ]);
  });

  it(`${shows('snapshot', 'owner')} names the Deployment of a real pod, and the image it runs`, async () => {
    const [first] = (await ready()).pods;
    const taken = await snapshot(deps);
    const pod = taken.pods.find(({ uid }) => uid === first?.uid);
    expect(pod).toMatchObject({ ownerKind: 'Deployment', ownerName: 'kept', node: 'node1' });
    expect(pod?.containers[0]).toMatchObject({ image, state: 'running', imageId: expect.stringContaining('@sha256:') });
  });

  it(`${shows('operate', 'pod_delete')} deletes a pod, in whose place another comes`, async () => {
    const [first] = (await ready()).pods;
    const reference = `${under.namespace}/pod/${first?.name}`;
    const outcome = await operate(deps, { id: '1', action: 'pod.delete', reference });
    expect(outcome).toEqual({ outcome: 'succeeded', detail: '' });
    await until(
      'another pod is there',
      async () => (await ready()).pods.every(({ uid }) => uid !== first?.uid),
      60_000,
    );
  });
});
