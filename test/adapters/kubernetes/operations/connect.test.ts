import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../../src/adapters/embedded/index.ts';
import {
  connect,
  connectOperations,
  fromClients,
  inCluster,
  type KubeConnection,
} from '../../../../src/adapters/kubernetes/index.ts';
import { createRequests } from '../../../../src/adapters/kubernetes/requests.ts';
import { ok } from '../../../../src/kernel/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';
import { memoryLog, realClock } from '../../../support/kubernetes.ts';

const OPTIONS = { clock: realClock, log: memoryLog(), userAgent: 'hakopod-test' };
const SHELL = { namespace: 'default', name: 'shell', container: 'main', uid: '0f8fad5b-d9cb-469f-a165-70867728950e' };

describe('the ways to the cluster operations', () => {
  let embedded: EmbeddedCluster;
  let connection: KubeConnection;
  beforeAll(async () => {
    embedded = await startEmbeddedCluster();
    connection = must(connect({ kubeconfigText: embedded.kubeconfig }));
  });
  afterAll(async () => {
    await connection.close();
    await embedded.stop();
  });

  it(`${shows('connect', 'connects', 'exec_transport')} works over a connection, and can run commands`, async () => {
    const operations = connectOperations(connection, OPTIONS);
    expect((await operations.facts()).runtime).toBe('kubernetes');
    expect((await operations.facts()).server_version).not.toBe('unknown');
    // There is no such pod; that it was looked for shows that there is a way to run something in one.
    expect(await operations.openExec({ pod: SHELL, argv: ['sh'] })).toMatchObject({
      ok: false,
      problem: { code: 'pod_not_found' },
    });
  });

  it(`${shows('inCluster', 'connects')} is the service account of the pod, to the address the pod is told`, async () => {
    const root = mkdtempSync(join(tmpdir(), 'hakopod-'));
    const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(folder, { recursive: true });
    for (const name of ['token', 'ca.crt', 'namespace']) writeFileSync(join(folder, name), 'x');
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    try {
      const inside = must(inCluster({ ...OPTIONS, serviceAccountRoot: root }));
      expect(inside.connection.server).toBe('https://10.96.0.1');
      await inside.connection.close();
    } finally {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true });
    }
  });

  it(`${shows('inCluster', 'not_in_cluster')} says that this is no pod`, () => {
    expect(inCluster({ ...OPTIONS, serviceAccountRoot: '/nonexistent' })).toMatchObject({
      ok: false,
      problem: { code: 'invalid_config' },
    });
  });

  it(`${shows('fromClients', 'no_exec_transport', 'log_opener')} takes what it is given, and without an exec runs nothing`, async () => {
    const client = { connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 20_000 };
    const api = createRequests(client);
    const metadata = { name: 'shell', namespace: 'default' };
    const spec = { containers: [{ name: 'main', image: 'registry.example.com/web:1' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    expect((await api.create(pod, AbortSignal.timeout(5000))).ok).toBe(true);
    const log = async () => ({ ok: true, value: Readable.from([Buffer.from('from the test\n')]) }) as const;
    const operations = fromClients({ api, streams: { log }, clock: realClock, log: memoryLog() });
    let text = '';
    must(
      await operations.logs({ pod: { namespace: 'default', name: 'shell' } }, async (chunk) => {
        text += Buffer.from(chunk).toString();
        return ok(undefined);
      }),
    );
    expect(text).toBe('from the test\n');
    expect(await operations.openExec({ pod: SHELL, argv: ['sh'] })).toMatchObject({
      ok: false,
      problem: { code: 'exec_unavailable' },
    });
  });
});
