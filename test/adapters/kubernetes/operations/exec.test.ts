import { describe, expect, it } from 'vitest';
import { openExec } from '../../../../src/adapters/kubernetes/operations/exec.ts';
import type { ChannelEnds, PodStreams } from '../../../../src/adapters/kubernetes/operations/streams.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import type { ExecSpec } from '../../../../src/ports/cluster-operations/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';
import { memoryLog } from '../../../support/kubernetes.ts';
import { ManualClock, podManifest, type Script, scriptedApi, settled } from '../../../support/scripted-cluster.ts';

const POD = podManifest();
const SPEC = {
  pod: { namespace: 'shop', name: 'web-1', container: 'web', uid: POD.metadata.uid ?? '' },
  argv: ['sh', '-c', 'echo "$0"'],
} as const;

function namespace(level: string | undefined = 'baseline'): Manifest {
  const labels = { 'pod-security.kubernetes.io/enforce': level };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } } as Manifest;
}

type Given = {
  readonly spec?: object;
  readonly script?: Script;
  /** Answers instead of a stream. */
  readonly opens?: 'never' | number;
  readonly transport?: false;
};

/** Opens a session over a stream the test holds the other end of. */
function begin({ spec = SPEC, script, opens, transport }: Given = {}) {
  const clock = new ManualClock();
  const { api, calls } = scriptedApi({ objects: [POD, namespace()], ...script });
  const log = memoryLog();
  const far = {
    queries: [] as URLSearchParams[],
    ends: undefined as ChannelEnds | undefined,
    sent: [] as string[],
    isClosed: false,
    isPaused: false,
    /** Whether frames leave at once. */
    hold: undefined as Promise<void> | undefined,
  };
  const exec: NonNullable<PodStreams['exec']> = async (_pod, query, ends) => {
    far.queries.push(query);
    far.ends = ends;
    if (opens === 'never') await new Promise(() => undefined);
    if (typeof opens === 'number') return { ok: false, failure: opens === 0 ? {} : { status: opens } };
    const value = {
      send: async (channel: number, data: Uint8Array): Promise<void> => {
        far.sent.push(`${channel}:${Buffer.from(data).toString('utf8')}`);
        await far.hold;
      },
      pause: () => {
        far.isPaused = true;
      },
      resume: () => {
        far.isPaused = false;
      },
      close: () => {
        far.isClosed = true;
      },
    };
    return { ok: true, value };
  };
  const streams: PodStreams = {
    log: () => Promise.reject(new Error('no log')),
    ...(transport === false ? {} : { exec }),
  };
  const opened = openExec({ api, streams, clock, log }, spec as ExecSpec);
  return { opened, far, calls, clock, log };
}

async function codeOf(given: Given): Promise<string> {
  const { opened, far } = begin(given);
  const result = await opened;
  if (result.ok) return 'ok';
  expect(far.queries).toHaveLength(typeof given.opens === 'number' ? 1 : 0);
  return result.problem.code;
}

async function open(given: Given = {}) {
  const all = begin(given);
  const session = must(await all.opened);
  const say = (channel: number, data: string | Buffer): void => all.far.ends?.onFrame(channel, Buffer.from(data));
  return { ...all, session, say };
}

const status = (body: object): string => JSON.stringify({ kind: 'Status', ...body });
const exitWith = (code: string): string =>
  status({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: code }] },
  });
const textOf = (chunk: Uint8Array | undefined): string | undefined =>
  chunk === undefined ? undefined : Buffer.from(chunk).toString('utf8');

describe('openExec', () => {
  it(`${shows('openExec', 'tty', 'review_last')} asks in order, the rights last, and opens a terminal with exactly that argv`, async () => {
    const { calls, far } = await open();
    expect(calls.map(({ key }) => key)).toEqual([
      'get Pod/shop/web-1',
      'get Namespace/shop',
      'review create pods/exec',
      'review get pods/exec',
    ]);
    expect(calls[2]?.body).toMatchObject({ namespace: 'shop', name: 'web-1', subresource: 'exec' });
    expect([...(far.queries[0] ?? [])]).toEqual([
      ...Object.entries({ container: 'web', stdin: 'true', stdout: 'true', tty: 'true' }),
      ...SPEC.argv.map((argument) => ['command', argument]),
    ]);
  });

  it(`${shows('openExec', 'invalid_request', 'argv_limits')} takes 64 arguments of 8 KiB in all, and a first that is something`, async () => {
    const withArgv = (argv: readonly string[]): Given => ({ spec: { ...SPEC, argv } });
    expect(await codeOf(withArgv(Array(64).fill('a')))).toBe('ok');
    expect(await codeOf(withArgv(['a', 'b'.repeat(8191)]))).toBe('ok');
    for (const argv of [[], [''], Array(65).fill('a'), ['a', 'b'.repeat(8192)], ['a\0'], ['\ud800']]) {
      const { opened, calls } = begin(withArgv(argv));
      expect(await opened).toMatchObject({ problem: { code: 'invalid_request' } });
      expect(calls).toEqual([]);
    }
    for (const field of ['namespace', 'name', 'container', 'uid'])
      expect(await codeOf({ spec: { ...SPEC, pod: { ...SPEC.pod, [field]: undefined } } })).toBe('invalid_request');
    expect(await codeOf({ spec: { ...SPEC, shell: true } })).toBe('invalid_request');
  });

  it(`${shows('openExec', 'exec_unavailable')} needs a client with a cluster configuration`, async () => {
    expect(await codeOf({ transport: false })).toBe('exec_unavailable');
  });

  it(`${shows('openExec', 'pod_gone', 'pod_differs', 'no_transport_on_refusal')} enters only the Running pod of that uid, in one of its containers`, async () => {
    const pod = (overrides: Parameters<typeof podManifest>[0]): Given => ({
      script: { objects: [podManifest(overrides), namespace()] },
    });
    expect(await codeOf({ script: { objects: [namespace()] } })).toBe('pod_not_found');
    expect(await codeOf({ script: { failures: { 'get Pod': { status: 500 } } } })).toBe('exec_refused');
    expect(await codeOf({ script: { failures: { 'get Pod': { status: 403 } } } })).toBe('forbidden');
    expect(await codeOf(pod({ metadata: { uid: 'other' } }))).toBe('exec_refused');
    expect(await codeOf(pod({ status: { phase: 'Succeeded' } }))).toBe('exec_refused');
    expect(await codeOf(pod({ spec: { containers: [{ name: 'x' }], initContainers: [{ name: 'web' }] } }))).toBe(
      'exec_refused',
    );
    expect(await codeOf(pod({ spec: { containers: [{ name: 'x' }], ephemeralContainers: [{ name: 'web' }] } }))).toBe(
      'exec_refused',
    );
  });

  it(`${shows('openExec', 'pod_security_namespace', 'forbidden', 'review_error', 'no_transport_on_refusal')} enters no pod whose namespace or account does not allow it`, async () => {
    for (const level of ['privileged', 'nonsense', undefined])
      expect(
        await codeOf({
          script: {
            objects: [
              POD,
              {
                ...namespace(),
                metadata: {
                  name: 'shop',
                  labels: level === undefined ? {} : { 'pod-security.kubernetes.io/enforce': level },
                },
              } as Manifest,
            ],
          },
        }),
      ).toBe('pod_security');
    expect(await codeOf({ script: { objects: [POD, namespace('restricted')] } })).toBe('ok');
    expect(await codeOf({ script: { failures: { 'get Namespace': { status: 403 } } } })).toBe('forbidden');
    expect(await codeOf({ script: { failures: { 'get Namespace': { status: 500 } } } })).toBe('exec_refused');
    expect(await codeOf({ script: { denied: ({ verb }) => verb === 'create' } })).toBe('forbidden');
    expect(await codeOf({ script: { denied: ({ verb }) => verb === 'get' } })).toBe('forbidden');
    expect(await codeOf({ script: { failures: { review: { status: 500 } } } })).toBe('exec_refused');
  });

  it(`${shows('openExec', 'pod_security_pod')} enters no pod below baseline, and tells only the log which control it was`, async () => {
    const pod = podManifest({ spec: { containers: [{ name: 'web' }], hostPID: true } });
    const { opened, far, calls, log } = begin({ script: { objects: [pod, namespace()] } });
    expect(await opened).toMatchObject({ problem: { code: 'pod_security' } });
    expect(JSON.stringify(await opened)).not.toContain('host_namespace');
    expect(log.lines[0]?.fields).toMatchObject({ violation: 'host_namespace' });
    expect([far.queries.length, calls.length]).toEqual([0, 2]);
  });

  it(`${shows('openExec', 'exec_setup', 'transport_error')} bounds the opening to 20 s and tells a refused stream from a slow one`, async () => {
    expect(await codeOf({ opens: 403 })).toBe('forbidden');
    expect(await codeOf({ opens: 500 })).toBe('exec_refused');
    expect(await codeOf({ opens: 0 })).toBe('exec_refused');
    const { opened, clock } = begin({ opens: 'never' });
    await settled();
    await clock.advance(20_000);
    expect(await opened).toMatchObject({ problem: { code: 'exec_setup' } });
  });

  it(`${shows('openExec', 'exit_code', 'clean_end')} gives all output and then the exit code`, async () => {
    for (const [end, exitCode] of [
      [exitWith('3'), 3],
      [status({ status: 'Success' }), 0],
    ] as const) {
      const { session, say, far } = await open();
      expect(session.inspect()).toEqual({ running: true });
      const early = session.read();
      say(1, 'hello');
      expect(textOf(must(await early))).toBe('hello');
      say(1, 'bye');
      say(3, end);
      far.ends?.onGone();
      expect(textOf(must(await session.read()))).toBe('bye');
      expect(must(await session.read())).toBeUndefined();
      expect(session.inspect()).toEqual({ running: false, exitCode });
      expect(far.isClosed).toBe(true);
      expect(await session.write(Buffer.from('x'))).toMatchObject({ ok: false });
    }
  });

  it(`${shows('openExec', 'transport_error')} does not take a broken stream for a clean end`, async () => {
    const ends: readonly ((all: Awaited<ReturnType<typeof open>>) => void)[] = [
      ({ far }) => far.ends?.onGone(),
      ({ say }) => say(3, status({ status: 'Failure', reason: 'InternalError' })),
      ({ say }) => say(3, exitWith('many')),
      ({ say }) => say(3, 'not JSON'),
    ];
    for (const end of ends) {
      const all = await open();
      const reading = all.session.read();
      end(all);
      expect(await reading).toMatchObject({ problem: { code: 'exec_refused' } });
      expect(await all.session.write(Buffer.from('x'))).toMatchObject({ problem: { code: 'exec_refused' } });
      expect(all.session.inspect()).toEqual({ running: false });
    }
  });

  it(`${shows('openExec', 'exec_closed', 'close_is_idempotent')} closes once, which frees reader and writer`, async () => {
    const { session, say, far, clock } = await open();
    far.hold = new Promise(() => undefined);
    const [reading, writing] = [session.read(), session.write(Buffer.from('x'))];
    session.close();
    session.close();
    for (const ended of [reading, writing]) expect(await ended).toMatchObject({ problem: { code: 'exec_closed' } });
    say(3, exitWith('3'));
    await clock.advance(9 * 3_600_000);
    expect(await session.read()).toMatchObject({ problem: { code: 'exec_closed' } });
    expect(session.resize({ rows: 1, columns: 1 })).toMatchObject({ problem: { code: 'exec_closed' } });
    expect(session.inspect()).toEqual({ running: false });
    expect(far.isClosed).toBe(true);
  });

  it(`${shows('openExec', 'exec_idle', 'input_resets_idle', 'exec_lifetime')} ends after 15 minutes without input, and after 8 hours in any case`, async () => {
    const minute = 60_000;
    const { session, say, clock } = await open();
    await clock.advance(14 * minute);
    must(await session.write(Buffer.from('x')));
    await clock.advance(14 * minute);
    must(session.resize({ rows: 24, columns: 80 }));
    await clock.advance(15 * minute - 1);
    expect(session.inspect()).toEqual({ running: true });
    say(1, 'output is no input');
    await clock.advance(1);
    expect(await session.read()).toMatchObject({ problem: { code: 'exec_idle' } });
    const long = await open();
    for (let passed = 0; passed < 480; passed += 10) {
      expect(long.session.inspect()).toEqual({ running: true });
      must(await long.session.write(Buffer.from('x')));
      await long.clock.advance(10 * minute);
    }
    expect(await long.session.read()).toMatchObject({ problem: { code: 'exec_lifetime' } });
  });

  it(`${shows('openExec', 'resize')} sends only the newest of a burst of sizes, and never blocks`, async () => {
    const { session, far } = await open();
    let release = (): void => undefined;
    far.hold = new Promise((resolve) => {
      release = resolve;
    });
    for (let rows = 1; rows <= 512; rows += 1) must(session.resize({ rows, columns: 512 }));
    release();
    await settled();
    expect(far.sent).toEqual(['4:{"Width":512,"Height":1}', '4:{"Width":512,"Height":512}']);
    for (const size of [
      { rows: 0, columns: 1 },
      { rows: 1, columns: 513 },
      { rows: 1.5, columns: 1 },
    ])
      expect(session.resize(size)).toMatchObject({ problem: { code: 'invalid_request' } });
  });

  it(`${shows('openExec', 'chunk_limit')} writes and reads 32 KiB at a time, and makes a fast program wait for a slow reader`, async () => {
    const { session, far, say } = await open();
    must(await session.write(Buffer.alloc(32 * 1024)));
    expect(await session.write(Buffer.alloc(32 * 1024 + 1))).toMatchObject({ problem: { code: 'invalid_request' } });
    expect(far.sent).toHaveLength(1);
    for (let sent = 0; sent < 10; sent += 1) say(1, Buffer.alloc(50_000, 120));
    expect(far.isPaused).toBe(true);
    let read = 0;
    while (read < 500_000) {
      const chunk = must(await session.read())!;
      expect(chunk.length).toBeLessThanOrEqual(32 * 1024);
      read += chunk.length;
    }
    expect(far.isPaused).toBe(false);
  });

  it('logs neither argv nor what was typed or shown', async () => {
    const { session, say, log } = await open();
    must(await session.write(Buffer.from('password')));
    say(1, 'prompt');
    session.close();
    expect(log.lines).toEqual([]);
  });
});
