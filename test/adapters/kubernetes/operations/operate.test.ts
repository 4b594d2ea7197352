import { describe, expect, it } from 'vitest';
import { operate } from '../../../../src/adapters/kubernetes/operations/operate.ts';
import type { Manifest } from '../../../../src/kernel/index.ts';
import type { Command } from '../../../../src/ports/cluster-operations/index.ts';
import { shows } from '../../../support/claims.ts';
import { ManualClock, podManifest, type Script, scriptedApi } from '../../../support/scripted-cluster.ts';

const UID = '0b0f3c1e-0000-4000-8000-000000000002';

function workload(kind: string, extra: { readonly labels?: object; readonly spec?: object } = {}): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', namespace: 'shop', uid: UID, resourceVersion: '7', labels: extra.labels ?? {} },
    spec: { replicas: 3, ...extra.spec },
  } as Manifest;
}

const ALL = [workload('Deployment'), workload('StatefulSet'), workload('DaemonSet'), podManifest()];
const retaining = (when: string): Manifest =>
  workload('StatefulSet', { spec: { persistentVolumeClaimRetentionPolicy: { [when]: 'Delete' } } });

async function run(command: Partial<Command>, script: Script = {}) {
  const clock = new ManualClock();
  const { api, calls } = scriptedApi({ objects: ALL, ...script });
  const whole = { id: '1', action: 'workload.restart', reference: 'shop/deployment/web', ...command };
  return { outcome: await operate({ api, clock }, whole), calls, keys: calls.map(({ key }) => key) };
}
const scale = (replicas: number | undefined, reference = 'shop/deployment/web'): Partial<Command> => ({
  action: 'workload.scale',
  reference,
  ...(replicas === undefined ? {} : { expects: { replicas } }),
});
const destroy = { action: 'workload.delete' };
const succeeded = { outcome: 'succeeded', detail: '' };
const denied = (detail: string): object => ({ outcome: 'denied', detail });

describe('operate', () => {
  it.each(['deployment', 'statefulset', 'daemonset'])(
    `${shows('operate', 'restart', 'one_review_one_write')} stamps the template of a %s at the version read`,
    async (kind) => {
      const { outcome, calls, keys } = await run({ reference: `shop/${kind}/web` });
      expect(outcome).toEqual(succeeded);
      const resource = `${kind}s`;
      expect(keys.map((key) => key.split(' ')[0])).toEqual(['review', 'get', 'patch']);
      expect(calls[0]?.body).toEqual({ verb: 'patch', group: 'apps', resource, namespace: 'shop', name: 'web' });
      const annotations = { 'hakopod.io/restarted-at': '2026-11-29T12:00:00.000Z' };
      const body = { metadata: { resourceVersion: '7' }, spec: { template: { metadata: { annotations } } } };
      expect(calls[2]?.body).toEqual({ type: 'merge', body });
    },
  );

  it.each([0, 1000])(`${shows('operate', 'scale')} sets %i replicas at the version read`, async (replicas) => {
    for (const kind of ['deployment', 'statefulset']) {
      const { outcome, calls } = await run(scale(replicas, `shop/${kind}/web`));
      expect(outcome).toEqual(succeeded);
      const body = { metadata: { resourceVersion: '7' }, spec: { replicas } };
      expect(calls[2]?.body).toEqual({ type: 'merge', body });
    }
  });

  it(`${shows('operate', 'delete', 'delete_options')} deletes the workload it has read, at its version, in the background`, async () => {
    for (const kind of ['deployment', 'statefulset', 'daemonset']) {
      const { outcome, calls } = await run({ ...destroy, reference: `shop/${kind}/web` });
      expect(outcome).toEqual(succeeded);
      expect(calls[0]?.body).toMatchObject({ verb: 'delete', resource: `${kind}s`, name: 'web' });
      expect(calls[2]?.body).toEqual({ uid: UID, resourceVersion: '7', propagation: 'Background' });
    }
  });

  it(`${shows('operate', 'pod_delete')} deletes a pod by its uid alone, whoever manages it`, async () => {
    const labels = { 'app.kubernetes.io/managed-by': 'hakopod' };
    const pod = podManifest({ metadata: { labels } });
    const { outcome, calls } = await run({ action: 'pod.delete', reference: 'shop/pod/web-1' }, { objects: [pod] });
    expect(outcome).toEqual(succeeded);
    expect(calls[0]?.body).toEqual({ verb: 'delete', group: '', resource: 'pods', namespace: 'shop', name: 'web-1' });
    expect(calls[2]?.body).toEqual({ uid: pod.metadata.uid, propagation: 'Background' });
  });

  const refused: readonly (readonly [string, Partial<Command>, string])[] = [
    ['an unknown action', { action: 'workload.burn' }, 'unsupported action'],
    ['an unknown action before a bad reference', { action: 'x', reference: 'x' }, 'unsupported action'],
    ['two parts', { reference: 'shop/web' }, 'invalid_reference'],
    ['four parts', { reference: 'shop/deployment/web/x' }, 'invalid_reference'],
    ['a kind that is not known', { reference: 'shop/cronjob/web' }, 'invalid_reference'],
    ['a kind in capitals', { reference: 'shop/Deployment/web' }, 'invalid_reference'],
    ['a name with dots', { reference: 'shop/pod/web.1', action: 'pod.delete' }, 'invalid_reference'],
    ['a restart of a pod', { reference: 'shop/pod/web-1' }, 'unsupported'],
    ['a pod deletion of a workload', { action: 'pod.delete' }, 'unsupported'],
    ['a scale of a DaemonSet', scale(1, 'shop/daemonset/web'), 'unsupported'],
    ['no count', scale(undefined), 'replicas_out_of_range'],
    ['less than none', scale(-1), 'replicas_out_of_range'],
    ['more than a thousand', scale(1001), 'replicas_out_of_range'],
    ['half a replica', scale(1.5), 'replicas_out_of_range'],
  ];
  it.each(refused)(
    `${shows('operate', 'unsupported_action', 'invalid_reference', 'unsupported', 'replicas_out_of_range')} refuses %s without a call`,
    async (_, command, detail) => {
      const { outcome, calls } = await run(command);
      expect(outcome).toEqual(denied(detail));
      expect(calls).toEqual([]);
    },
  );

  it(`${shows('operate', 'forbidden')} reads nothing without the right, and calls a forbidden read by its name`, async () => {
    const review = await run({}, { denied: () => true });
    expect(review.outcome).toEqual(denied('forbidden'));
    expect(review.keys).toEqual(['review patch deployments']);
    const read = await run({}, { failures: { get: { status: 403 } } });
    expect(read.outcome).toEqual(denied('forbidden'));
    expect(read.keys).toHaveLength(2);
  });

  it(`${shows('operate', 'not_found')} says that nothing is there, but deletes what has gone meanwhile`, async () => {
    expect((await run({}, { objects: [] })).outcome).toEqual(denied('not_found'));
    expect((await run(destroy, { objects: [] })).outcome).toEqual(denied('not_found'));
    const gone = { failures: { delete: { status: 404 } } };
    expect((await run(destroy, gone)).outcome).toEqual(succeeded);
    expect((await run({ action: 'pod.delete', reference: 'shop/pod/web-1' }, gone)).outcome).toEqual(succeeded);
    expect((await run({}, { failures: { patch: { status: 404 } } })).outcome).toEqual(denied('not_found'));
  });

  it(`${shows('operate', 'pvc_retention')} never lets claims go with replicas or with the workload`, async () => {
    const reference = 'shop/statefulset/web';
    const down = await run(scale(2, reference), { objects: [retaining('whenScaled')] });
    expect(down.outcome).toEqual(denied('pvc_retention'));
    expect(down.keys).toHaveLength(2);
    expect((await run(scale(3, reference), { objects: [retaining('whenScaled')] })).outcome).toEqual(succeeded);
    expect((await run(scale(2, reference), { objects: [retaining('whenDeleted')] })).outcome).toEqual(succeeded);
    const whole = await run({ ...destroy, reference }, { objects: [retaining('whenDeleted')] });
    expect(whole.outcome).toEqual(denied('pvc_retention'));
    expect(whole.keys).toHaveLength(2);
    expect((await run({ ...destroy, reference }, { objects: [retaining('whenScaled')] })).outcome).toEqual(succeeded);
  });

  it(`${shows('operate', 'application_managed')} restarts and scales what an application owns, but does not delete it`, async () => {
    const objects = [workload('Deployment', { labels: { 'app.kubernetes.io/managed-by': 'hakopod' } })];
    const deleted = await run(destroy, { objects });
    expect(deleted.outcome).toEqual(denied('application_managed'));
    expect(deleted.keys).toHaveLength(2);
    expect((await run({}, { objects })).outcome).toEqual(succeeded);
    expect((await run(scale(1), { objects })).outcome).toEqual(succeeded);
  });

  it(`${shows('operate', 'admission_denied', 'conflict', 'runtime_status', 'runtime_error')} has a word for each refused write`, async () => {
    const outcome = async (status: number | undefined) =>
      (await run({}, { failures: { patch: status === undefined ? {} : { status } } })).outcome;
    expect(await outcome(403)).toEqual(denied('admission_denied'));
    expect(await outcome(409)).toEqual(denied('conflict'));
    expect(await outcome(422)).toEqual({ outcome: 'failed', detail: 'runtime_status 422' });
    expect(await outcome(500)).toEqual({ outcome: 'failed', detail: 'runtime_status 500' });
    expect(await outcome(undefined)).toEqual({ outcome: 'failed', detail: 'runtime_error' });
    const policy = { status: 422, hint: 'policy' } as const;
    expect((await run({}, { failures: { patch: policy } })).outcome).toEqual(denied('admission_denied'));
    expect((await run(destroy, { failures: { delete: { status: 409 } } })).outcome).toEqual(denied('conflict'));
  });

  it(`${shows('operate', 'runtime_timeout')} ends at 20 s, or at the deadline before`, async () => {
    for (const [deadline, ms] of [
      [undefined, 20_000],
      ['2026-11-29T12:00:03.000Z', 3000],
      ['2026-11-29T13:00:00.000Z', 20_000],
    ] as const) {
      const clock = new ManualClock();
      const { api } = scriptedApi({ objects: ALL, silent: ['patch'] });
      const command = { id: '1', action: 'workload.restart', reference: 'shop/deployment/web' };
      const ended = operate({ api, clock }, deadline === undefined ? command : { ...command, deadline });
      await clock.advance(ms - 1);
      await clock.advance(1);
      expect(await ended).toEqual({ outcome: 'timed_out', detail: 'runtime_timeout' });
    }
    const late = await run({ deadline: '2026-11-29T11:59:59.000Z' });
    expect(late.outcome).toEqual({ outcome: 'timed_out', detail: 'runtime_timeout' });
  });

  it('does not know what a caller who left has done', async () => {
    const { api } = scriptedApi({ objects: ALL, silent: ['patch'] });
    const leave = new AbortController();
    const command = { id: '1', action: 'workload.restart', reference: 'shop/deployment/web' };
    const ended = operate({ api, clock: new ManualClock() }, command, leave.signal);
    leave.abort();
    expect(await ended).toEqual({ outcome: 'unknown', detail: 'cancelled' });
  });
});
