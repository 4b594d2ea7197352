import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { type JobRecord, serviceStates } from '../../src/reconcile/index.ts';
import { ID, inputFor, pinned, SHOP } from '../render/fixture.ts';
import { fixtureOf } from './fixture.ts';

const input = inputFor(SHOP);

function states(objects: readonly Manifest[], jobs: readonly JobRecord[] = []) {
  const { application, options, images } = input;
  const all = serviceStates({ application, id: ID, revision: 3, options, images, objects, jobs });
  return new Map(all.map((state) => [state.name, state]));
}

function running(name: string, change: object = {}): Manifest[] {
  const { answer } = fixtureOf(`Deployment/${name}`);
  // biome-ignore lint/suspicious/noExplicitAny: free-form
  const spec = answer.spec as any;
  const n: number = spec.replicas;
  const generation = answer.metadata.generation ?? 1;
  const status = {
    observedGeneration: generation,
    replicas: n,
    updatedReplicas: n,
    readyReplicas: n,
    availableReplicas: n,
    ...change,
  };
  const pods = Array.from({ length: n }, (_, i): Manifest => {
    const metadata = { name: `${name}-${i}`, labels: spec.template.metadata.labels };
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    return { apiVersion: 'v1', kind: 'Pod', metadata, spec: spec.template.spec, status: ready };
  });
  return [{ ...answer, status }, ...pods];
}

const job = (status: object): Manifest => ({ ...fixtureOf('Job/migrate-job').answer, status });
const record: JobRecord = { service: 'migrate', revision: 3, uid: 'u', result: 'succeeded' };

describe('serviceStates', () => {
  it('lists every service by name, with its image and its URL', () => {
    const all = states([]);
    expect([...all.keys()]).toEqual(['api', 'db', 'migrate', 'web', 'worker']);
    expect(all.get('web')).toEqual({
      name: 'web',
      status: 'missing',
      image: pinned('web'),
      url: 'https://web-0123456789ab.apps.example.com',
    });
    expect(all.get('api')).not.toHaveProperty('url');
    expect(all.get('migrate')?.status).toBe('pending');
  });

  it('tells ready, deploying and failed services apart', () => {
    const gaveUp = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
    const all = states([
      ...running('api'),
      ...running('web', { readyReplicas: 0 }),
      ...running('db', { readyReplicas: 0, conditions: gaveUp }),
    ]);
    expect(all.get('api')).toMatchObject({ status: 'ready', ready: 2, desired: 2 });
    expect(all.get('web')).toMatchObject({ status: 'deploying', ready: 0, desired: 1 });
    expect(all.get('db')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('ProgressDeadlineExceeded'),
    });
  });

  it.each<[string, string, readonly Manifest[], readonly JobRecord[]]>([
    ['running', 'running', [job({ active: 1 })], []],
    ['waiting', 'pending', [job({})], []],
    ['complete', 'completed', [job({ conditions: [{ type: 'Complete', status: 'True' }] })], []],
    ['failed', 'failed', [job({ conditions: [{ type: 'Failed', status: 'True' }] })], []],
    ['removed after it completed', 'completed', [], [record]],
    ['removed after it failed', 'failed', [], [{ ...record, result: 'failed', message: 'it exited with code 3' }]],
    ['on record for another revision only', 'pending', [], [{ ...record, revision: 2 }]],
  ])('shows a job that is %s as %s', (_title, status, objects, jobs) => {
    expect(states(objects, jobs).get('migrate')?.status).toBe(status);
  });
});
