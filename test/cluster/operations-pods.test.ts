import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  connectOperations,
  fromClients,
  inCluster,
  type KubeConnection,
  ownNamespace,
} from '../../src/adapters/kubernetes/index.ts';
import type { OperationDeps } from '../../src/adapters/kubernetes/operations/deps.ts';
import { openExec } from '../../src/adapters/kubernetes/operations/exec.ts';
import type { ExecTimes } from '../../src/adapters/kubernetes/operations/exec-session.ts';
import { logs } from '../../src/adapters/kubernetes/operations/logs.ts';
import { createStreams } from '../../src/adapters/kubernetes/operations/streams.ts';
import { createRequests } from '../../src/adapters/kubernetes/requests.ts';
import { fail, type Manifest, ok, problem, type Result } from '../../src/kernel/index.ts';
import { type ExecSession, type LogRequest, OPERATION_LIMITS } from '../../src/ports/cluster-operations/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { shows } from '../support/claims.ts';
import { type ClusterUnderTest, connectReal, inNewNamespace, memoryLog, realClock } from '../support/kubernetes.ts';
import { limitedAccount, type Missing } from '../support/limited-account.ts';
import { pushBusybox, startPod } from '../support/real-pods.ts';
import { recordedApi } from '../support/recorded-api.ts';
import { until } from '../support/world.ts';

/* Sessions in real containers, and the logs of real ones. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const isPossible = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!isPossible) console.warn('SKIPPED: sessions in and logs of real pods: there is no rig with a node');

const QUIET_SECONDS = 62;

function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}

describe.skipIf(!isPossible)('real pods', () => {
  let under: ClusterUnderTest;
  let deps: OperationDeps;
  let image: string;
  let shell: Manifest;
  let hostPath: Manifest;
  let quiet: { readonly text: () => string; readonly ended: Promise<unknown>; readonly since: number };

  beforeAll(async () => {
    under = await inNewNamespace(connectReal(kubeconfig!));
    deps = depsOf(under.connection);
    image = await pushBusybox({ registry: registry!, storage: rig! });
    const pod = (name: string, script: string, spec: object = {}): Promise<Manifest> =>
      startPod(under.cluster, { namespace: under.namespace, name, image, command: ['sh', '-c', script], spec });
    // Older than the namespace's label, which would not let it in.
    hostPath = await pod('host-path', 'sleep 3600', {
      containers: [
        { name: 'main', image, command: ['sleep', '3600'], volumeMounts: [{ name: 'etc', mountPath: '/host' }] },
      ],
      volumes: [{ name: 'etc', hostPath: { path: '/etc' } }],
    });
    await label('baseline');
    await pod('quiet', `echo first; sleep ${QUIET_SECONDS}; echo second; sleep 3600`);
    quiet = follow('quiet');
    [shell] = await Promise.all([
      pod('shell', 'sleep 3600'),
      pod('many-lines', 'seq 1 20000; sleep 3600'),
      pod('many-bytes', 'yes "$(printf %01000d 0)" | head -n 6000; sleep 3600'),
    ]);
  });
  afterAll(() => under?.close());

  function depsOf(connection: KubeConnection): OperationDeps {
    const client = { connection, clock: realClock, userAgent: 'hakopod-test', timeoutMs: 30_000 };
    return { api: createRequests(client), streams: createStreams(client), clock: realClock, log: memoryLog() };
  }

  async function label(level: string): Promise<void> {
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: under.namespace };
    const labels = { 'pod-security.kubernetes.io/enforce': level };
    must(await under.cluster.mergePatch(ref, { metadata: { labels } }));
  }

  async function exec(argv: readonly string[], options: { pod?: Manifest; times?: Partial<ExecTimes> } = {}) {
    const { pod = shell, times } = options;
    const { namespace = '', name, uid = '' } = pod.metadata;
    const spec = { pod: { namespace, name, container: 'main', uid }, argv: [...argv] };
    return openExec(deps, spec, times === undefined ? {} : { times });
  }

  /** Output until it contains `wanted`, or to its end. */
  async function outputOf(session: ExecSession, wanted?: string): Promise<string> {
    let text = '';
    while (wanted === undefined || !text.includes(wanted)) {
      const chunk = must(await session.read());
      if (chunk === undefined) break;
      text += Buffer.from(chunk).toString('utf8');
    }
    return text;
  }
  const type = async (session: ExecSession, text: string): Promise<void> =>
    must(await session.write(Buffer.from(text)));

  function follow(name: string, signal?: AbortSignal, request: Partial<LogRequest> = {}) {
    const chunks: Uint8Array[] = [];
    const ended = logs(
      deps,
      {
        request: { pod: { namespace: under.namespace, name }, follow: true, ...request },
        sink: async (chunk) => {
          chunks.push(chunk);
          return ok(undefined);
        },
      },
      signal,
    );
    return { chunks, ended, since: performance.now(), text: () => Buffer.concat(chunks).toString('utf8') };
  }

  it(`${shows('openExec', 'tty', 'exit_code')} types into a shell on a terminal, which exits with 3`, async () => {
    const session = must(await exec(['sh']));
    await type(session, 'echo "sum: $((20 + 22))"; tty\n');
    const seen = await outputOf(session, '/dev/pts/');
    expect(seen).toContain('sum: 42');
    expect(session.inspect()).toEqual({ running: true });
    await type(session, 'exit 3\n');
    await outputOf(session);
    expect(session.inspect()).toEqual({ running: false, exitCode: 3 });
  });

  it(`${shows('openExec', 'resize')} tells the program of a new size`, async () => {
    const session = must(await exec(['sh', '-c', 'trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done']));
    await outputOf(session, 'ready');
    must(session.resize({ rows: 33, columns: 111 }));
    expect(await outputOf(session, '33 111')).toContain('33 111');
    session.close();
  });

  it(`${shows('openExec', 'clean_end')} ends cleanly with 0, with all of a long output before`, async () => {
    const session = must(await exec(['seq', '1', '200000']));
    const lines = (await outputOf(session)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(200_000);
    expect(lines.at(-1)).toBe('200000');
    expect(session.inspect()).toEqual({ running: false, exitCode: 0 });
  });

  it(`${shows('openExec', 'transport_error')} does not take a program that is not there for a clean end`, async () => {
    const session = must(await exec(['/no/such/program']));
    expect(await session.read()).toMatchObject({ ok: false, problem: { code: 'exec_refused' } });
    expect(session.inspect()).toEqual({ running: false });
  });

  it(`${shows('openExec', 'exec_idle', 'exec_lifetime', 'exec_closed')} ends by itself, and then nobody knows how the program did`, async () => {
    const idle = must(await exec(['sleep', '60'], { times: { idleMs: 300 } }));
    expect(await idle.read()).toMatchObject({ problem: { code: 'exec_idle' } });
    const old = must(await exec(['yes'], { times: { lifetimeMs: 300 } }));
    let last = await old.read();
    while (last.ok) last = await old.read();
    expect(last).toMatchObject({ problem: { code: 'exec_lifetime' } });
    const closed = must(await exec(['sleep', '60']));
    closed.close();
    expect(await closed.read()).toMatchObject({ problem: { code: 'exec_closed' } });
    for (const session of [idle, old, closed]) expect(session.inspect()).toEqual({ running: false });
  });

  it(`${shows('openExec', 'pod_security_pod', 'pod_differs')} enters neither a pod that sees its host nor another of the name`, async () => {
    expect(await exec(['sh'], { pod: hostPath })).toMatchObject({ problem: { code: 'pod_security' } });
    const other = { ...shell, metadata: { ...shell.metadata, uid: hostPath.metadata.uid! } };
    expect(await exec(['sh'], { pod: other })).toMatchObject({ problem: { code: 'exec_refused' } });
  });

  it(`${shows('openExec', 'input_resets_idle', 'close_is_idempotent', 'chunk_limit')} stays as long as somebody types, 32 KiB at a time`, async () => {
    const session = must(await exec(['cat'], { times: { idleMs: 600 } }));
    for (let round = 0; round < 5; round += 1) {
      await type(session, `${round}\n`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(session.inspect()).toEqual({ running: true });
    expect(await session.write(Buffer.alloc(32 * 1024 + 1))).toMatchObject({ problem: { code: 'invalid_request' } });
    session.close();
    session.close();
    expect(await session.read()).toMatchObject({ problem: { code: 'exec_closed' } });
  });

  it(`${shows('openExec', 'invalid_request', 'argv_limits', 'pod_gone', 'pod_security_namespace', 'no_transport_on_refusal')} has a word for each start that can not be`, async () => {
    expect(await exec([])).toMatchObject({ problem: { code: 'invalid_request' } });
    expect(await exec(['echo', 'a'.repeat(8192)])).toMatchObject({ problem: { code: 'invalid_request' } });
    const gone = { ...shell, metadata: { ...shell.metadata, name: 'gone' } };
    expect(await exec(['sh'], { pod: gone })).toMatchObject({ problem: { code: 'pod_not_found' } });
    await label('privileged');
    const refused = await exec(['sh']);
    await label('baseline');
    expect(refused).toMatchObject({ problem: { code: 'pod_security' } });
  });

  it(`${shows('openExec', 'forbidden')} ${shows('logs', 'pod_unreadable')} enters and reads with the enrolment manifest's rights, and not with one less`, async () => {
    const as = async <T>(missing: readonly Missing[], see: () => Promise<T>): Promise<T> => {
      const account = await limitedAccount(under, kubeconfig!, missing);
      const admin = deps;
      deps = depsOf(account.connection);
      try {
        return await see();
      } finally {
        deps = admin;
        await account.close();
      }
    };
    const exits = async () => {
      const session = must(await exec(['sh', '-c', 'exit 7']));
      await outputOf(session);
      return session.inspect();
    };
    expect(await as([], exits)).toEqual({ running: false, exitCode: 7 });
    for (const verb of ['create', 'get']) {
      const opened = await as([{ verb, resource: 'pods/exec' }], () => exec(['sh']));
      expect(opened).toMatchObject({ problem: { code: 'forbidden' } });
    }
    const tail = { follow: false, tail: 1 };
    must(await as([], () => follow('many-lines', undefined, tail).ended));
    const pod = await as([{ verb: 'get', resource: 'pods' }], () => follow('many-lines', undefined, tail).ended);
    expect(pod).toMatchObject({ problem: { code: 'forbidden' } });
    const log = await as([{ verb: 'get', resource: 'pods/log' }], () => follow('many-lines', undefined, tail).ended);
    expect(log).toMatchObject({ problem: { code: 'forbidden' } });
  });

  it(`${shows('openExec', 'review_last')} asks for the permission last`, async () => {
    const { api, calls } = recordedApi(deps.api);
    const { namespace = '', name, uid = '' } = shell.metadata;
    const spec = { pod: { namespace, name, container: 'main', uid }, argv: ['true'] };
    must(await openExec({ ...deps, api }, spec)).close();
    const [first, second, ...reviews] = calls.map(({ key }) => key);
    expect([first, second]).toEqual([`get Pod/${name}`, `get Namespace/${namespace}`]);
    // A WebSocket is asked for with GET: servers look at both verbs.
    expect(reviews).toEqual(['review create pods', 'review get pods']);
  });

  it(`${shows('connect', 'connects', 'exec_transport')} ${shows('fromClients', 'log_opener', 'no_exec_transport')} opens logs and terminals over a connection, and no terminal without one`, async () => {
    const { clock, log } = deps;
    const operations = connectOperations(under.connection, { clock, log, userAgent: 'hakopod-test' });
    const { namespace = '', name, uid = '' } = shell.metadata;
    const spec = { pod: { namespace, name, container: 'main', uid }, argv: ['sh', '-c', 'exit 4'] };
    const session = must(await operations.openExec(spec));
    await outputOf(session);
    expect(session.inspect()).toEqual({ running: false, exitCode: 4 });
    const given = fromClients({ ...deps, streams: { log: deps.streams.log } });
    expect(codeOf(await given.openExec(spec))).toBe('exec_unavailable');
    let text = '';
    const request = { pod: { namespace, name: 'many-lines' }, tail: 1 };
    const sink = async (chunk: Uint8Array) => {
      text += Buffer.from(chunk).toString();
      return ok(undefined);
    };
    await until('all is written', async () => {
      text = '';
      must(await given.logs(request, sink));
      return text === '20000\n';
    });
  });

  it(`${shows('inCluster', 'connects')} ${shows('ownNamespace', 'read')} is what the files of a real pod's account say`, async () => {
    const files = 'var/run/secrets/kubernetes.io/serviceaccount';
    const pod = await startPod(under.cluster, {
      ...{ namespace: under.namespace, name: 'mounted', image, command: ['sleep', '3600'] },
      spec: { automountServiceAccountToken: true },
    });
    const root = await mkdtemp(join(tmpdir(), 'hakopod-mounted-'));
    try {
      await mkdir(join(root, files), { recursive: true });
      for (const file of ['token', 'ca.crt', 'namespace']) {
        const session = must(await exec(['cat', `/${files}/${file}`], { pod }));
        await writeFile(join(root, files, file), (await outputOf(session)).replaceAll('\r\n', '\n'));
      }
      expect(must(ownNamespace(root))).toBe(under.namespace);
      const { hostname, port } = new URL(under.connection.server);
      vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
      vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
      const { clock, log } = deps;
      const inside = must(inCluster({ clock, log, userAgent: 'hakopod-test', serviceAccountRoot: root }));
      // Every account may read the version; this one may list no nodes.
      expect(await inside.operations.facts()).toMatchObject({
        server_version: expect.stringMatching(/^v\d/),
        node_count: 'unknown',
      });
      await inside.connection.close();
    } finally {
      vi.unstubAllEnvs();
      await rm(root, { recursive: true, force: true });
    }
  });

  it(`${shows('openExec', 'exec_unavailable')} needs a connection that can open streams`, async () => {
    const { log } = deps.streams;
    const { namespace = '', name, uid = '' } = shell.metadata;
    const spec = { pod: { namespace, name, container: 'main', uid }, argv: ['sh'] };
    expect(await openExec({ ...deps, streams: { log } }, spec)).toMatchObject({
      problem: { code: 'exec_unavailable' },
    });
  });

  it(`${shows('logs', 'several_containers', 'pod_missing', 'open_failure', 'invalid_request', 'sink_failure')} has a word for each log that can not be read`, async () => {
    const containers = [
      { name: 'one', image: 'registry.test/none:1' },
      { name: 'two', image: 'registry.test/none:1' },
    ];
    const metadata = { namespace: under.namespace, name: 'waiting' };
    must(await under.cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } }));
    const code = async (name: string, request: Partial<LogRequest> = {}) =>
      codeOf(await follow(name, undefined, { follow: false, ...request }).ended);
    expect(await code('waiting')).toBe('unknown_container');
    expect(await code('waiting', { pod: { ...metadata, container: 'two' } })).toBe('logs_unavailable');
    expect(await code('gone')).toBe('pod_not_found');
    expect(await code('many-lines', { tail: 10_001 })).toBe('invalid_request');
    const pod = { namespace: under.namespace, name: 'many-lines' };
    const full = await logs(deps, { request: { pod }, sink: async () => fail(problem('queue_full')) });
    expect(full).toMatchObject({ problem: { code: 'queue_full' } });
  });

  it(`${shows('logs', 'lines_limit', 'bytes_limit', 'chunk_limit')} stops at 10,000 lines and at 4 MiB`, async () => {
    const lines = follow('many-lines');
    must(await lines.ended);
    const numbers = lines.text().split('\n');
    expect(numbers).toHaveLength(OPERATION_LIMITS.logLines + 1);
    expect(numbers.slice(-2)).toEqual(['10000', '']);
    const bytes = follow('many-bytes');
    must(await bytes.ended);
    expect(Buffer.byteLength(bytes.text())).toBe(OPERATION_LIMITS.logBytes);
    expect(Math.max(...bytes.chunks.map(({ length }) => length))).toBeLessThanOrEqual(OPERATION_LIMITS.logChunkBytes);
  });

  it(`${shows('logs', 'unknown_container', 'reads')} names the container that is not there, and reads the tail of one that is`, async () => {
    const pod = { namespace: under.namespace, name: 'many-lines', container: 'mian' };
    const wrong = await logs(deps, { request: { pod }, sink: async () => ok(undefined) });
    expect(wrong).toMatchObject({ problem: { code: 'unknown_container' } });
    const tail = async (): Promise<string> => {
      const read = follow('many-lines', undefined, { follow: false, tail: 2, timestamps: true });
      must(await read.ended);
      return read.text();
    };
    await until('all is written', async () => (await tail()).endsWith(' 20000\n'));
    expect(await tail()).toMatch(/^\d{4}-\S+Z 19999\n\d{4}-\S+Z 20000\n$/);
  });

  it(`${shows('logs', 'follow_quiet', 'cancel')} follows through a quiet minute, and ends when nobody listens any more`, async () => {
    while (!quiet.text().includes('second') && performance.now() - quiet.since < 90_000)
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect(quiet.text()).toBe('first\nsecond\n');
    expect(performance.now() - quiet.since).toBeGreaterThan((QUIET_SECONDS - 15) * 1000);
    const leave = new AbortController();
    const left = follow('quiet', leave.signal);
    while (!left.text().includes('second')) await new Promise((resolve) => setTimeout(resolve, 20));
    leave.abort();
    const before = performance.now();
    must(await left.ended);
    expect(performance.now() - before).toBeLessThan(1000);
  }, 120_000);
});
