import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { decideJob, type JobRecord, jobToStop, jobVerdict, type Owner, podsAtEnd } from '../../src/reconcile/index.ts';
import { fixtureOf, ownerOf } from './fixture.ts';

const { answer } = fixtureOf('Job/migrate-job');
const owner = ownerOf(answer);

function job(
  changes: { revision?: number; deleting?: boolean; condition?: [type: string, reason: string]; active?: number } = {},
): Manifest {
  const annotations = { ...answer.metadata.annotations, 'hakopod.io/job-revision': String(changes.revision ?? 3) };
  const deletion = changes.deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  const conditions =
    changes.condition === undefined
      ? []
      : [{ type: changes.condition[0], status: 'True', reason: changes.condition[1] }];
  return {
    ...answer,
    metadata: { ...answer.metadata, ...deletion, annotations },
    status: { conditions, active: changes.active ?? 0 },
  };
}

function pod(name: string, containerStatus: object, created = '2026-01-01T00:00:00Z'): Manifest {
  const ownerReferences = [{ kind: 'Job', name: 'migrate-job', uid: answer.metadata.uid }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp: created, ownerReferences },
    status: { phase: 'Failed', containerStatuses: [containerStatus] },
  };
}

const exited = (exitCode: number, reason = 'Error') => ({ name: 'app', state: { terminated: { exitCode, reason } } });
const record = (revision: number, result: JobRecord['result'], message?: string): JobRecord => ({
  service: 'migrate',
  revision,
  uid: 'u',
  result,
  message,
});

describe('decideJob', () => {
  const COMPLETE: [string, string] = ['Complete', 'CompletionsReached'];
  const FAILED: [string, string] = ['Failed', 'BackoffLimitExceeded'];
  type Case = [
    title: string,
    expected: string,
    live: Manifest | undefined,
    recorded: JobRecord | undefined,
    inProgress?: boolean,
  ];
  it.each<Case>([
    ['creates the first one', 'create', undefined, undefined],
    ['waits for the one of this revision', 'wait', job({ active: 1 }), undefined],
    ['reuses the one of this revision that succeeded', 'succeeded', job({ condition: COMPLETE }), undefined],
    ['reuses the failure of this revision', 'failed', job({ condition: FAILED }), undefined],
    ['replaces the one of an earlier revision', 'replace', job({ revision: 2, condition: COMPLETE }), undefined],
    ['replaces a running one of an earlier revision', 'replace', job({ revision: 2, active: 1 }), undefined],
    ['waits until an earlier one is gone', 'wait', job({ revision: 2, deleting: true }), undefined],
    ['waits until an unfinished one of this revision is gone', 'wait', job({ deleting: true }), undefined],
    [
      'counts a finished one that is being deleted',
      'succeeded',
      job({ deleting: true, condition: COMPLETE }),
      undefined,
    ],
    ['gives way to a later revision', 'refuse', job({ revision: 4 }), undefined],
    ['remembers a completion somebody removed', 'succeeded', undefined, record(3, 'succeeded')],
    ['remembers a failure somebody removed', 'failed', undefined, record(3, 'failed')],
    ['believes the record before the cluster', 'succeeded', job({ active: 1 }), record(3, 'succeeded')],
    ['runs again for a new revision', 'create', undefined, record(2, 'succeeded')],
    ['runs again for a new revision after a failure', 'create', undefined, record(2, 'failed')],
    ['does not run outside a release', 'failed', undefined, undefined, false],
  ])('%s', (_title, expected, live, recorded, inProgress = true) => {
    const decision = decideJob({ service: 'migrate', revision: 3, live, recorded, owner, inProgress });
    expect(decision.action).toBe(expected);
  });

  it('touches no Job that is not ours, and names the one it deletes by uid', () => {
    const base = { service: 'migrate', revision: 3, recorded: undefined, inProgress: true };
    const stranger: Owner = { ...owner, id: 'f'.repeat(32) };
    expect(decideJob({ ...base, live: job({ revision: 2 }), owner: stranger })).toMatchObject({
      action: 'refuse',
      problem: { code: 'not_owned' },
    });
    expect(decideJob({ ...base, live: job({ revision: 2 }), owner })).toEqual({
      action: 'replace',
      uid: answer.metadata.uid,
      adopt: false,
    });
    expect(decideJob({ ...base, live: job({ revision: 2 }), owner: { ...owner, inventory: [] } })).toMatchObject({
      adopt: true,
    });
  });

  it('says why a live one failed when it sees its pods', () => {
    const base = { service: 'migrate', revision: 3, recorded: undefined, owner, inProgress: true };
    const decision = decideJob({ ...base, live: job({ condition: FAILED }), pods: [pod('a', exited(7))] });
    expect(decision).toMatchObject({ problem: { message: 'the container has ended: it exited with code 7' } });
  });

  it('repeats the recorded reason, at the job', () => {
    const decision = decideJob({
      service: 'migrate',
      revision: 3,
      live: undefined,
      recorded: record(3, 'failed', 'the container has ended: it exited with code 3'),
      owner,
      inProgress: true,
    });
    expect(decision).toMatchObject({
      problem: {
        code: 'job_failed',
        at: 'services.migrate.job',
        message: 'the container has ended: it exited with code 3',
      },
    });
  });
});

describe('jobVerdict', () => {
  it('waits while the job may still retry', () => {
    expect(jobVerdict([job({ active: 1 }), pod('a', exited(1))])).toEqual({
      state: 'waiting',
      running: true,
      reason: 'the container has ended: it exited with code 1',
    });
    expect(jobVerdict([])).toMatchObject({ state: 'waiting', running: false });
  });

  it('explains a failure by the newest pod', () => {
    const failed = job({ condition: ['Failed', 'BackoffLimitExceeded'] });
    const pods = [pod('a', exited(1)), pod('b', exited(7), '2026-01-01T00:00:09Z')];
    for (const objects of [[failed, ...pods], [...pods].reverse().concat(failed)]) {
      expect(jobVerdict(objects)).toEqual({
        state: 'failed',
        code: 'job_failed',
        message: 'the container has ended: it exited with code 7',
      });
    }
    expect(jobVerdict([failed, pod('a', exited(137, 'OOMKilled'))])).toMatchObject({
      message: expect.stringContaining('OOMKilled'),
    });
  });

  it('ignores pods of an earlier Job of the same name', () => {
    const other = { ...pod('z', exited(9), '2027-01-01T00:00:00Z') };
    const foreign = { ...other, metadata: { ...other.metadata, ownerReferences: [{ uid: 'old' }] } };
    expect(jobVerdict([job({ condition: ['Failed', 'BackoffLimitExceeded'] }), foreign])).toMatchObject({
      message: 'its last attempt failed',
    });
  });

  it('tells a deadline from a failure', () => {
    expect(jobVerdict([job({ condition: ['Failed', 'DeadlineExceeded'] })])).toMatchObject({
      state: 'failed',
      code: 'job_timeout',
    });
    expect(jobVerdict([job({ active: 1 })], { deadlinePassed: true })).toMatchObject({
      state: 'failed',
      code: 'job_timeout',
    });
    expect(jobVerdict([], { deadlinePassed: true })).toMatchObject({ state: 'failed', code: 'job_timeout' });
    expect(jobVerdict([job({ condition: ['Complete', 'x'] })], { deadlinePassed: true })).toEqual({
      state: 'succeeded',
    });
  });
});

describe('podsAtEnd', () => {
  const withUid = (uid: string, changes: object = {}, status: object = {}): Manifest => {
    const base = pod(uid, exited(1));
    return { ...base, metadata: { ...base.metadata, uid, ...changes }, status: { phase: 'Failed', ...status } };
  };
  const leaving = { deletionTimestamp: '2026-01-01T00:00:10Z' };

  it('keeps a pod as it was before it was removed, and one that stays as it is now', () => {
    const before = [withUid('a', {}, { seen: 'before' }), withUid('b', {}, { seen: 'before' })];
    const now = [withUid('b', {}, { seen: 'now' }), withUid('c', {}, { seen: 'now' })];
    const seen = podsAtEnd(now, before).map(({ metadata, status }) => [
      metadata.uid,
      (status as { seen: string }).seen,
    ]);
    expect(Object.fromEntries(seen)).toEqual({ a: 'before', b: 'now', c: 'now' });
  });

  it('prefers how a pod was before it began to leave', () => {
    const now = [withUid('a', leaving, { seen: 'now' }), withUid('d', leaving, { seen: 'now' })];
    const seen = podsAtEnd(now, [withUid('a', {}, { seen: 'before' })]);
    expect(seen.map(({ status }) => (status as { seen: string }).seen)).toEqual(['before', 'now']);
  });

  it('lets a job that ran out of time say why, when its pods are gone', () => {
    const waiting = { name: 'app', state: { waiting: { reason: 'ImagePullBackOff' } } };
    const late = job({ condition: ['Failed', 'DeadlineExceeded'] });
    expect(jobVerdict([late, ...podsAtEnd([], [pod('a', waiting)])])).toEqual({
      state: 'failed',
      code: 'job_timeout',
      message: 'it did not finish before its deadline: the image can not be pulled (ImagePullBackOff)',
    });
  });
});

describe('jobToStop', () => {
  const mine = { ...owner, operation: answer.metadata.annotations?.['hakopod.io/operation'] ?? '' };
  const without = (annotation: string, value?: string): Manifest => {
    const live = job({ revision: 3, active: 1 });
    const { [annotation]: _, ...others } = live.metadata.annotations ?? {};
    const annotations = value === undefined ? others : { ...others, [annotation]: value };
    return { ...live, metadata: { ...live.metadata, annotations } };
  };

  it('is the unfinished one of this revision, recorded first when it is not on record', () => {
    const live = job({ revision: 3, active: 1 });
    expect(jobToStop({ live, revision: 3, owner: mine })).toEqual({ job: live, adopt: false });
    expect(jobToStop({ live, revision: 3, owner: { ...mine, inventory: [] } })).toEqual({ job: live, adopt: true });
    // Created, not started yet.
    expect(jobToStop({ live: job({ revision: 3 }), revision: 3, owner: mine })).toBeDefined();
  });

  it.each<[string, Manifest | undefined]>([
    ['none', undefined],
    ['a finished one', job({ condition: ['Complete', 'x'] })],
    ['a failed one', job({ condition: ['Failed', 'BackoffLimitExceeded'] })],
    ['one that is leaving', job({ deleting: true, active: 1 })],
    ['the one of an earlier revision', job({ revision: 2, active: 1 })],
    ['the one of a later revision', job({ revision: 4, active: 1 })],
    ['one of another release', without('hakopod.io/operation', 'acme.production.shop.9')],
    ['one without the mark of who created it', without('hakopod.io/job-creation')],
  ])('is not %s', (_title, live) => {
    expect(jobToStop({ live, revision: 3, owner: mine })).toBeUndefined();
  });

  it('is never somebody else’s', () => {
    const stranger: Owner = { ...mine, id: 'f'.repeat(32) };
    expect(jobToStop({ live: job({ active: 1 }), revision: 3, owner: stranger })).toBeUndefined();
  });
});
