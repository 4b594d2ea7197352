import { describe, expect, it } from 'vitest';
import { fromClients } from '../../../../src/adapters/kubernetes/operations/connect.ts';
import { deploy } from '../../../../src/adapters/kubernetes/operations/deploy.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import type { DeploymentRequest } from '../../../../src/ports/cluster-operations/index.ts';
import { shows } from '../../../support/claims.ts';
import { newInstance, requestOf, serviceOf, stepsOf } from '../../../support/deploy-stage.ts';
import { memoryLog } from '../../../support/kubernetes.ts';
import { ManualClock, type Script, scriptedApi, settled } from '../../../support/scripted-cluster.ts';

const IMAGE = { image: `registry.example.com/app@sha256:${'b'.repeat(64)}`, namespace: 'shop' };
const INSTANCE = newInstance();

function namespace(level?: string): Manifest {
  const labels = level === undefined ? {} : { 'pod-security.kubernetes.io/enforce': level };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels } };
}

function request(change: Partial<DeploymentRequest> = {}): DeploymentRequest {
  const services = ['a', 'b'].map((name) => serviceOf(IMAGE, name));
  const times = { issuedAt: '2026-11-29T12:00:00.000Z', deadline: '2026-11-29T12:10:00.000Z' };
  return { ...requestOf(IMAGE, INSTANCE, services), ...times, ...change };
}

/** Runs a deploy on a recorded cluster; `during` happens once all that can has happened. */
async function ran(
  script: Script,
  options: { readonly input?: unknown; readonly during?: (clock: ManualClock, abort: () => void) => unknown } = {},
) {
  const clock = new ManualClock();
  const { api, calls } = scriptedApi({ objects: [namespace('baseline')], ...script });
  const caller = new AbortController();
  const started: number[] = [];
  const run = { signal: caller.signal, started: () => void started.push(calls.length) };
  const end = deploy({ api, clock }, 'input' in options ? options.input : request(), run);
  await settled();
  await options.during?.(clock, () => caller.abort());
  return { result: await end, keys: calls.map(({ key }) => key), started };
}

const leave = (_: ManualClock, abort: () => void): void => abort();

describe('the steps of a run', () => {
  it(`${shows('machine', 'started_once')} tell the caller just before the first write`, async () => {
    const { started, keys } = await ran({ failures: { 'create Deployment': { status: 500 } } });
    expect(started).toHaveLength(1);
    expect(keys[started[0] ?? 0]).toBe('create ConfigMap');
    expect(keys.slice(0, started[0]).every((key) => /^(get|review)/.test(key))).toBe(true);
  });

  it(`${shows('machine', 'started_never', 'forbidden')} tell nothing when the preconditions refuse`, async () => {
    const { started, result, keys } = await ran({ denied: () => true });
    expect([started, keys.length]).toEqual([[], 1]);
    expect(result).toMatchObject({ outcome: 'denied', code: 'step_failed' });
    expect(result.steps[0]).toEqual({ service: 'a', step: 'precondition', outcome: 'denied', code: 'forbidden' });
  });

  it(`${shows('machine', 'skipped_after_failure')} are skipped without a call after a failure`, async () => {
    const { result, keys } = await ran({ failures: { 'create Deployment': { status: 500 } } });
    expect(stepsOf(result)).toEqual([
      'a precondition succeeded',
      'b precondition succeeded',
      'a create failed runtime_status 500',
      'a start skipped',
      'b create skipped',
      'b start skipped',
      'b prune skipped',
    ]);
    expect(result).toMatchObject({ outcome: 'failed', code: 'step_failed' });
    expect(keys.at(-1)).toBe('create Deployment');
  });

  it.each([
    [{ status: 403 }, 'denied forbidden'],
    [{ status: 404 }, 'failed runtime_status 404'],
    [{ status: 503 }, 'failed runtime_status 503'],
    [{}, 'failed runtime_error'],
  ])(
    `${shows('machine', 'runtime_status', 'runtime_error', 'forbidden')} call %j by its name`,
    async (failure, end) => {
      const { result } = await ran({ failures: { 'get Namespace': failure } });
      expect(stepsOf(result)[0]).toBe(`a precondition ${end}`);
    },
  );

  it(`${shows('machine', 'review_error')} take no failed question for a permission answer`, async () => {
    for (const [failure, end] of [
      [{ status: 500 }, 'failed runtime_status 500'],
      [{}, 'failed runtime_error'],
    ] as const)
      expect(stepsOf((await ran({ failures: { review: failure } })).result)[0]).toBe(`a precondition ${end}`);
  });

  it(`${shows('machine', 'runtime_timeout')} end with the deadline of the request`, async () => {
    const during = (clock: ManualClock): Promise<void> => clock.advance(600_000);
    const { result } = await ran({ silent: ['get ConfigMap'] }, { during });
    expect(stepsOf(result)[0]).toBe('a precondition timed_out runtime_timeout');
    expect(result.outcome).toBe('timed_out');
  });

  it(`${shows('machine', 'cancelled')} are unknown when the caller leaves during a write`, async () => {
    const { result } = await ran({ silent: ['create Deployment'] }, { during: leave });
    expect(stepsOf(result)[2]).toBe('a create unknown cancelled');
    expect(result.outcome).toBe('unknown');
  });

  it(`${shows('deploy', 'unknown')} ends unknown when the caller leaves during a rollout`, async () => {
    const waiting: Manifest = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: {
        name: `${INSTANCE.project}-a`,
        namespace: 'shop',
        generation: 1,
        labels: { 'hakopod.io/instance': INSTANCE.instanceId },
      },
    };
    const objects = [namespace('baseline'), waiting];
    const left = await ran({ objects }, { during: leave });
    expect(stepsOf(left.result).slice(3, 5)).toEqual(['a start unknown cancelled', 'b create skipped']);
  });

  it(`${shows('deploy', 'rollout_timeout')} is timed out when the deadline comes first`, async () => {
    const waiting: Manifest = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: {
        name: `${INSTANCE.project}-a`,
        namespace: 'shop',
        generation: 1,
        labels: { 'hakopod.io/instance': INSTANCE.instanceId },
      },
      status: { conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }] },
    };
    const during = async (clock: ManualClock): Promise<void> => {
      for (let passed = 0; passed <= 600; passed += 2) await clock.advance(2000);
    };
    const { result } = await ran({ objects: [namespace('baseline'), waiting] }, { during });
    expect(stepsOf(result)[3]).toBe('a start timed_out rollout_timeout progressing=ReplicaSetUpdated');
    expect(result.outcome).toBe('timed_out');
  });

  it.each([
    [undefined, 'missing'],
    ['privileged', 'privileged'],
    ['Baseline', 'invalid'],
    ['', 'invalid'],
  ])(
    `${shows('machine', 'pod_security_missing', 'pod_security_privileged', 'pod_security_invalid')} refuse the level %s`,
    async (level, detail) => {
      const { result } = await ran({ objects: [namespace(level)] });
      expect(stepsOf(result)[0]).toBe(`a precondition denied pod_security ${detail}`);
    },
  );

  it.each(['baseline', 'restricted'])(`${shows('machine', 'started_once')} go on at the level %s`, async (level) => {
    expect((await ran({ objects: [namespace(level)] })).started).toHaveLength(1);
  });
});

describe('requests that are not valid', () => {
  it(`${shows('requests', 'invalid_request')} have no steps and make no call`, async () => {
    const { result, keys, started } = await ran({}, { input: { ...request(), services: [] } });
    const { deployment: _, ...rest } = result;
    expect(rest).toEqual({
      requestId: 'request-1',
      outcome: 'denied',
      code: 'invalid_request',
      steps: [],
      services: [],
    });
    expect([keys, started]).toEqual([[], []]);
    for (const input of [undefined, null, 7, [], 'text'])
      expect((await ran({}, { input })).result.code).toBe('invalid_request');
  });

  it(`${shows('requests', 'clock_skew')} fail when they were issued at a time too far from now`, async () => {
    for (const [issuedAt, code] of [
      ['2026-11-29T11:54:59.999Z', 'clock_skew'],
      ['2026-11-29T12:05:00.001Z', 'clock_skew'],
      ['2026-11-29T11:55:00.000Z', 'step_failed'],
    ] as const) {
      const { result } = await ran(
        { denied: () => true },
        { input: request({ issuedAt, deadline: '2026-11-29T12:09:00.000Z' }) },
      );
      expect(result.code, issuedAt).toBe(code);
      if (code === 'clock_skew') expect([result.outcome, result.steps]).toEqual(['failed', []]);
    }
  });

  it(`${shows('requests', 'malformed_request_id')} are not said back`, async () => {
    const { result } = await ran({}, { input: { ...request(), requestId: 'a b', deployment: 'X' } });
    expect(result).toEqual({ outcome: 'denied', code: 'invalid_request', steps: [], services: [] });
  });
});

it(`${shows('fromClients', 'poll')} reads a rollout as often as it is told`, async () => {
  const clock = new ManualClock();
  const metadata = {
    name: `${INSTANCE.project}-a`,
    namespace: 'shop',
    generation: 1,
    labels: { 'hakopod.io/instance': INSTANCE.instanceId },
  };
  const objects = [namespace('baseline'), { apiVersion: 'apps/v1', kind: 'Deployment', metadata }];
  const { api, calls } = scriptedApi({ objects });
  const caller = new AbortController();
  const streams = { log: async () => ({ ok: false as const, failure: {} }) };
  const operations = fromClients({ api, streams, clock, log: memoryLog(), pollMs: 50 });
  const end = operations.deploy(request(), { signal: caller.signal });
  await settled();
  const reads = (): number => calls.filter(({ key }) => key === `get Deployment/shop/${metadata.name}`).length;
  const before = reads();
  for (let turn = 0; turn < 4; turn += 1) await clock.advance(50);
  expect(reads() - before).toBe(4);
  caller.abort();
  expect((await end).outcome).toBe('unknown');
});
