import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../../src/adapters/embedded/index.ts';
import { connect, connectOperations } from '../../../../src/adapters/kubernetes/index.ts';
import { type Manifest, ok } from '../../../../src/kernel/index.ts';
import type { ClusterOperations, LogRequest } from '../../../../src/ports/cluster-operations/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { describeClusterReadingContract, type ReadingStage } from '../../../contracts/cluster-reading.contract.ts';
import { shows } from '../../../support/claims.ts';
import { eventually, inNewNamespace, memoryLog, realClock } from '../../../support/kubernetes.ts';

async function embedded(): Promise<ReadingStage & { readonly server: EmbeddedCluster }> {
  const server = await startEmbeddedCluster();
  const under = await inNewNamespace(must(connect({ kubeconfigText: server.kubeconfig })));
  const close = async (): Promise<void> => {
    await under.close();
    await server.stop();
  };
  const without: ReadingStage['without'] = async (missing) => {
    server.setDenied(missing);
    return { connection: under.connection, back: async () => server.setDenied([]) };
  };
  return { ...under, server, close, without };
}

describeClusterReadingContract('embedded', embedded);

describe('the embedded cluster', () => {
  let under: Awaited<ReturnType<typeof embedded>>;
  let operations: ClusterOperations;
  let pod: Manifest;
  beforeAll(async () => {
    under = await embedded();
    operations = connectOperations(under.connection, { clock: realClock, log: memoryLog(), userAgent: 'test' });
    under.server.setBehaviour({ 'web:1': { kind: 'ready', log: 'one\ntwo\nthree\n' } });
    const labels = { app: 'web' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    };
    const metadata = { name: 'web', namespace: under.namespace };
    must(await under.cluster.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec }));
    await eventually(async () => {
      const query = { apiVersion: 'v1', kind: 'Pod', namespace: under.namespace };
      const [found] = must(await under.cluster.list(query));
      if ((found?.status as { phase?: string } | undefined)?.phase !== 'Running') return false;
      pod = found!;
      return true;
    });
  });
  afterAll(() => under.close());

  async function read(request: Partial<LogRequest> = {}, signal?: AbortSignal) {
    const chunks: Uint8Array[] = [];
    const ended = operations.logs(
      { pod: { namespace: under.namespace, name: pod.metadata.name }, ...request },
      async (chunk) => {
        chunks.push(chunk);
        return ok(undefined);
      },
      signal,
    );
    return { ended, text: () => Buffer.concat(chunks).toString('utf8') };
  }

  it(`${shows('logs', 'reads', 'cancel', 'open_failure')} reads and follows a log until nobody listens`, async () => {
    const tail = await read({ tail: 2 });
    must(await tail.ended);
    expect(tail.text()).toBe('two\nthree\n');
    const leave = new AbortController();
    const followed = await read({ follow: true }, leave.signal);
    await eventually(() => followed.text() === 'one\ntwo\nthree\n');
    leave.abort();
    must(await followed.ended);
    under.server.setDenied([{ verb: 'get', resource: 'pods/log' }]);
    expect(await (await read()).ended).toMatchObject({ problem: { code: 'forbidden' } });
    under.server.setDenied([]);
  });

  it(`${shows('inspect', 'whole')} sees the pods of a Deployment, and the snapshot their owner`, async () => {
    const query = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: under.namespace, name: 'web' };
    const uid = must(await under.cluster.get(query))?.metadata.uid ?? '';
    const seen = must(await operations.inspect({ namespace: under.namespace, name: 'web', uid }));
    expect(seen.missing ? [] : seen.pods.map(({ name }) => name)).toEqual([pod.metadata.name]);
    const [first] = (await operations.snapshot()).pods;
    expect(first).toMatchObject({ ownerKind: 'Deployment', ownerName: 'web', containers: [{ state: 'running' }] });
  });

  it(`${shows('operate', 'forbidden', 'admission_denied', 'runtime_status', 'runtime_error')} keeps a missing right and a policy's no apart`, async () => {
    const restart = { id: '1', action: 'workload.restart', reference: `${under.namespace}/deployment/web` };
    under.server.setDenied([{ verb: 'patch', resource: 'deployments' }]);
    under.server.resetRequests();
    expect(await operations.operate(restart)).toEqual({ outcome: 'denied', detail: 'forbidden' });
    expect(under.server.requests().total).toBe(0);
    under.server.setDenied([]);
    under.server.setAdmission(() => 'not on a Sunday');
    expect(await operations.operate(restart)).toEqual({ outcome: 'denied', detail: 'admission_denied' });
    under.server.setAdmission(undefined);
    under.server.fault(({ verb }) => (verb === 'patch' ? { status: 500 } : undefined));
    expect(await operations.operate(restart)).toEqual({ outcome: 'failed', detail: 'runtime_status 500' });
    under.server.fault(({ verb }) => (verb === 'patch' ? { reset: true } : undefined));
    expect(await operations.operate(restart)).toEqual({ outcome: 'failed', detail: 'runtime_error' });
    under.server.fault(undefined);
  });

  it(`${shows('operate', 'pod_delete')} deletes a pod`, async () => {
    const reference = `${under.namespace}/pod/${pod.metadata.name}`;
    expect(await operations.operate({ id: '1', action: 'pod.delete', reference })).toEqual({
      outcome: 'succeeded',
      detail: '',
    });
  });

  it(`${shows('openExec', 'transport_error')} tells when a cluster has no terminals to offer`, async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: under.namespace };
    must(await under.cluster.mergePatch(ref, { metadata: { labels } }));
    const query = { apiVersion: 'v1', kind: 'Pod', namespace: under.namespace };
    let live: Manifest | undefined;
    await eventually(async () => {
      const pods = must(await under.cluster.list(query));
      live = pods.find(
        ({ metadata, status }) =>
          metadata.uid !== pod.metadata.uid && (status as { phase: string }).phase === 'Running',
      );
      return live !== undefined;
    });
    const { name, uid = '' } = live!.metadata;
    const spec = { pod: { namespace: under.namespace, name, container: 'web', uid }, argv: ['sh'] };
    expect(await operations.openExec(spec)).toMatchObject({ problem: { code: 'exec_refused' } });
  });
});
