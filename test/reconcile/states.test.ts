import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { type JobRecord, serviceStates } from '../../src/reconcile/index.ts';
import { ID, inputFor, pinned, SHOP } from '../render/fixture.ts';
import { MARKET } from '../render/market.ts';
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

  describe('of schedules and stopped services', () => {
    const market = inputFor(MARKET);
    const cron = fixtureOf('CronJob/nightly-cron').answer;
    const run = (created: string, status: object): Manifest => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `nightly-cron-${created}`,
        uid: created,
        creationTimestamp: created,
        labels: { ...cron.metadata.labels },
      },
      status,
    });
    const ended = (type: string): object => ({ conditions: [{ type, status: 'True' }] });
    const stateOf = (objects: readonly Manifest[], text = MARKET) => {
      const { application, options, images } = text === MARKET ? market : inputFor(text);
      const all = serviceStates({ application, id: ID, revision: 3, options, images, objects, jobs: [] });
      return new Map(all.map(({ name, status }) => [name, status]));
    };

    it.each<[string, string, readonly Manifest[]]>([
      ['is not there', 'missing', []],
      ['waits for its first run', 'scheduled', [cron]],
      ['is still held back', 'pending', [{ ...cron, spec: { ...(cron.spec as object), suspend: true } }]],
      ['ran', 'scheduled', [cron, run('2026-01-01', ended('Complete'))]],
      [
        'failed the last time',
        'failed',
        [cron, run('2026-01-01', ended('Complete')), run('2026-01-02', ended('Failed'))],
      ],
      [
        'failed and then ran',
        'scheduled',
        [cron, run('2026-01-02', ended('Complete')), run('2026-01-01', ended('Failed'))],
      ],
      ['failed and runs again', 'failed', [cron, run('2026-01-01', ended('Failed')), run('2026-01-02', { active: 1 })]],
    ])('shows a schedule that %s as %s', (_title, status, objects) => {
      expect(stateOf(objects).get('nightly')).toBe(status);
    });

    it('shows what the file stops as stopped', () => {
      const text = MARKET.replace('command = ["/app/report"]', 'command = ["/app/report"]\nsuspended = true');
      expect(stateOf([cron], text).get('nightly')).toBe('stopped');
      const { answer } = fixtureOf('Deployment/parked');
      const status = { observedGeneration: answer.metadata.generation };
      expect(stateOf([{ ...answer, status }]).get('parked')).toBe('stopped');
    });

    it('gives a service with an issuer of its own a secure URL', () => {
      const { tlsIssuer: _, ...options } = market.options;
      const { application, images } = market;
      const all = serviceStates({ application, id: ID, revision: 3, options, images, objects: [], jobs: [] });
      const urls = new Map(all.map(({ name, url }) => [name, url]));
      expect(urls.get('front')).toBe('https://front-0123456789ab.apps.example.com');
      expect(all.find(({ name }) => name === 'front')?.endpoints).toEqual({
        console: 'https://front-console-0123456789ab.apps.example.com',
      });
      expect(urls.get('stream')).toBe('http://stream-0123456789ab.apps.example.com');
    });
  });
});
