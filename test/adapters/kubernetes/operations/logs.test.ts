import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { logs } from '../../../../src/adapters/kubernetes/operations/logs.ts';
import type { PodStreams } from '../../../../src/adapters/kubernetes/operations/streams.ts';
import { fail, ok, problem } from '../../../../src/kernel/index.ts';
import { type LogRequest, type LogSink, OPERATION_LIMITS } from '../../../../src/ports/cluster-operations/index.ts';
import { must } from '../../../contracts/cluster.contract.ts';
import { shows } from '../../../support/claims.ts';
import { ManualClock, podManifest, type Script, scriptedApi, settled } from '../../../support/scripted-cluster.ts';

const two = podManifest({
  spec: {
    containers: [{ name: 'web' }, { name: 'side' }],
    initContainers: [{ name: 'setup' }],
    ephemeralContainers: [{ name: 'debug' }],
  },
});

type Given = {
  readonly request?: object;
  readonly script?: Script;
  readonly body?: Readable;
  readonly status?: number;
  readonly sink?: LogSink;
  readonly signal?: AbortSignal;
  readonly clock?: ManualClock;
};

function begin(given: Given = {}) {
  const { body = Readable.from([Buffer.from('one\n')]), status, clock = new ManualClock() } = given;
  const { api, calls } = scriptedApi(given.script ?? { objects: [podManifest()] });
  const chunks: Buffer[] = [];
  const opened: URLSearchParams[] = [];
  const streams: PodStreams = {
    log: async (_pod, query, signal) => {
      opened.push(query);
      if (status !== undefined) return { ok: false, failure: status === 0 ? {} : { status } };
      signal.addEventListener('abort', () => body.destroy(new Error('aborted')));
      return { ok: true, value: body };
    },
  };
  const sink: LogSink = async (chunk) => {
    chunks.push(Buffer.from(chunk));
    return ok(undefined);
  };
  const request = { pod: { namespace: 'shop', name: 'web-1' }, ...given.request } as LogRequest;
  const ended = logs({ api, streams, clock }, { request, sink: given.sink ?? sink }, given.signal);
  return { ended, chunks, opened, calls, clock, text: () => Buffer.concat(chunks).toString('utf8') };
}

async function codeOf(given: Given): Promise<string> {
  const result = await begin(given).ended;
  return result.ok ? 'ok' : result.problem.code;
}
const named = (container: string): object => ({ pod: { namespace: 'shop', name: 'web-1', container } });

describe('logs', () => {
  it(`${shows('logs', 'reads')} reads the only container, with the bounds it is asked for`, async () => {
    const plain = begin();
    must(await plain.ended);
    expect(plain.text()).toBe('one\n');
    expect(plain.opened.map(String)).toEqual(['container=web&limitBytes=4194304']);
    const since = '2026-11-29T11:00:00Z';
    const all = begin({ request: { follow: true, previous: true, timestamps: true, tail: 7, since } });
    must(await all.ended);
    expect(Object.fromEntries(all.opened[0] ?? [])).toEqual({
      ...{ container: 'web', limitBytes: '4194304', follow: 'true', previous: 'true', timestamps: 'true' },
      ...{ tailLines: '7', sinceTime: since },
    });
  });

  it(`${shows('logs', 'invalid_request')} checks the request before anything is read`, async () => {
    for (const request of [{ tail: -1 }, { tail: 10_001 }, { pod: { namespace: 'shop' } }, { containerId: 'x' }]) {
      const { ended, calls } = begin({ request });
      expect(await ended).toMatchObject({ problem: { code: 'invalid_request' } });
      expect(calls).toEqual([]);
    }
    expect(await codeOf({ request: { tail: 10_000 } })).toBe('ok');
  });

  it(`${shows('logs', 'unknown_container', 'several_containers')} guesses no container, and knows no init or debug container`, async () => {
    const script = { objects: [two] };
    expect(await begin({ script }).ended).toMatchObject({
      problem: { code: 'unknown_container', message: 'the pod has 2 containers; name one' },
    });
    for (const name of ['other', 'setup', 'debug'])
      expect(await begin({ script, request: named(name) }).ended).toMatchObject({
        problem: { code: 'unknown_container', message: `the pod has no container ${name}` },
      });
    expect(await codeOf({ script, request: named('side') })).toBe('ok');
  });

  it(`${shows('logs', 'pod_missing', 'pod_unreadable', 'open_failure')} has a fixed answer for each way it can not begin`, async () => {
    expect(await codeOf({ script: {} })).toBe('pod_not_found');
    expect(await codeOf({ script: { failures: { get: { status: 500 } } } })).toBe('logs_unavailable');
    expect(await codeOf({ script: { failures: { get: { status: 403 } } } })).toBe('forbidden');
    expect(await codeOf({ status: 400 })).toBe('logs_unavailable');
    expect(await codeOf({ status: 0 })).toBe('logs_unavailable');
    expect(await codeOf({ status: 403 })).toBe('forbidden');
  });

  it(`${shows('logs', 'lines_limit')} ends right behind the 10,000th line end`, async () => {
    const body = Readable.from([Buffer.from(`${'é\n'.repeat(9_999)}last`), Buffer.from('\nmore\nand more')]);
    const { ended, text } = begin({ body });
    must(await ended);
    expect(text()).toBe(`${'é\n'.repeat(9_999)}last\n`);
    expect(body.destroyed).toBe(true);
  });

  it(`${shows('logs', 'bytes_limit', 'chunk_limit')} ends at 4 MiB, in chunks of 32 KiB at most`, async () => {
    const { ended, chunks, text } = begin({ body: Readable.from(Array(5).fill(Buffer.alloc(1_000_000, 120))) });
    must(await ended);
    expect(text()).toHaveLength(OPERATION_LIMITS.logBytes);
    expect(Math.max(...chunks.map(({ length }) => length))).toBe(OPERATION_LIMITS.logChunkBytes);
  });

  it(`${shows('logs', 'sink_failure', 'copy_failure')} returns what the sink failed with, and says when the log broke off`, async () => {
    const body = new Readable({ read: () => undefined });
    body.push('one\n');
    const sink = async () => fail(problem('queue_full'));
    expect(await codeOf({ body, sink })).toBe('queue_full');
    expect(body.destroyed).toBe(true);
    const broken = new Readable({ read: () => undefined });
    const { ended, text } = begin({ body: broken });
    broken.push('one\n');
    await settled();
    broken.destroy(new Error('socket hang up'));
    expect(await ended).toMatchObject({ problem: { code: 'logs_unavailable' } });
    expect(text()).toBe('one\n');
  });

  it(`${shows('logs', 'cancel', 'budget', 'follow_quiet')} takes the caller's end, 60 s, or an hour of following for a good end`, async () => {
    const leave = new AbortController();
    const left = begin({ body: new Readable({ read: () => undefined }), signal: leave.signal });
    await settled();
    leave.abort();
    must(await left.ended);
    for (const [follow, ms] of [
      [false, 60_000],
      [true, 3_600_000],
    ] as const) {
      const body = new Readable({ read: () => undefined });
      const { ended, clock } = begin({ body, request: { follow } });
      await settled();
      await clock.advance(ms - 1);
      expect(body.destroyed).toBe(false);
      await clock.advance(1);
      must(await ended);
      expect(body.destroyed).toBe(true);
    }
  });

  it.each(['the time', 'the caller'])('ends with %s though its reader takes no more', async (what) => {
    const leaving = new AbortController();
    const clock = new ManualClock();
    const asked = begin({ sink: () => new Promise(() => undefined), signal: leaving.signal, clock });
    await settled();
    if (what === 'the caller') leaving.abort();
    else clock.advance(OPERATION_LIMITS.logFetchMs);
    expect(await asked.ended).toEqual(ok(undefined));
  });
});
