import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { inventoryEntry, kindChange, releaseDeadline, releaseSteps, waitSeconds } from '../../src/reconcile/index.ts';
import type { Application } from '../../src/spec/index.ts';
import { ID, parsed, SHOP } from '../render/fixture.ts';

const BOUNDS = { rolloutTimeoutSeconds: 180 };
const shop = parsed(SHOP);

describe('releaseSteps', () => {
  it('reads before it writes, fences before it runs, publishes after it is ready, and prunes last', () => {
    expect(releaseSteps(shop, BOUNDS).map((step) => step.name)).toEqual([
      'secrets',
      'images',
      'namespace',
      'network-policies',
      'quota',
      'claims',
      'services',
      'service:db',
      'service:migrate',
      'service:api',
      'service:web',
      'ingress:web',
      'service:worker',
      'prune',
      'schedules',
      'finish',
    ]);
  });

  it('says what each service needs and how long it may take', () => {
    const steps = new Map(releaseSteps(shop, BOUNDS).map((step) => [step.name, step]));
    expect(steps.get('service:migrate')).toMatchObject({ kind: 'job', needs: ['db'], waitSeconds: 330 });
    expect(steps.get('service:api')).toMatchObject({ kind: 'service', needs: ['db', 'migrate'], waitSeconds: 180 });
    expect(steps.get('service:db')).toMatchObject({ needs: [], waitSeconds: 601 });
    expect(steps.get('ingress:web')).toMatchObject({ kind: 'ingress', service: 'web', needs: ['web'] });
  });

  it('puts every dependency before what needs it, whatever the graph', () => {
    const base = parsed('schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\n').services.a!;
    const graph = fc.array(fc.array(fc.nat(11), { maxLength: 4 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(graph, fc.integer({ min: 1, max: 97 }), (edges, salt) => {
        // Node i may need only lower ones; the salt scrambles the names, and so the alphabetical order.
        const name = (i: number): string => `s${(i * salt + 13) % 101}-${i}`;
        const services = edges.map((to, i): [string, Application['services'][string]] => {
          const needs = [...new Set(to.filter((n) => n < i).map(name))].sort();
          return [name(i), { ...base, depends_on: needs }];
        });
        const application = { ...shop, services: Object.fromEntries(services), domains: {} };
        const reversed = { ...application, services: Object.fromEntries([...services].reverse()) };
        const steps = releaseSteps(application, BOUNDS);
        expect(releaseSteps(reversed, BOUNDS)).toEqual(steps);
        const position = new Map(steps.map((step, i) => [step.name, i]));
        for (const step of steps) {
          if (step.kind !== 'service') continue;
          for (const need of step.needs)
            expect(position.get(`service:${need}`)!).toBeLessThan(position.get(step.name)!);
        }
        expect(steps.filter((step) => step.kind === 'service')).toHaveLength(services.length);
      }),
    );
  });
});

describe('releaseDeadline', () => {
  const start = new Date('2026-01-01T00:00:00Z');
  const seconds = (application: Application): number =>
    (releaseDeadline(application, BOUNDS, start).getTime() - start.getTime()) / 1000;

  it('is ten minutes, and longer by every reviewed budget', () => {
    expect(seconds(parsed('schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\n'))).toBe(600);
    expect(seconds(shop)).toBe(600 + 601 + 330);
  });

  it('leaves a release that keeps its budgets enough time', () => {
    const budgets = Object.keys(shop.services).filter(
      (name) => shop.services[name]?.startup_timeout_seconds || shop.services[name]?.job,
    );
    expect(budgets.reduce((sum, name) => sum + waitSeconds(shop, name, BOUNDS), 0)).toBeLessThan(seconds(shop));
  });
});

describe('kindChange', () => {
  const entry = (apiVersion: string, kind: string, name: string, namespace = `hp-${ID}`) =>
    inventoryEntry({ apiVersion, kind, metadata: { name, namespace, uid: 'u' } } as Manifest);
  const change = (...inventory: ReturnType<typeof entry>[]) => kindChange({ application: shop, id: ID, inventory });

  it('refuses a service that becomes a job and a job that becomes a service', () => {
    expect(change(entry('apps/v1', 'Deployment', 'migrate'))).toMatchObject({
      code: 'kind_change',
      at: 'services.migrate.job',
    });
    expect(change(entry('batch/v1', 'Job', 'api-job'))).toMatchObject({ code: 'kind_change', at: 'services.api.job' });
  });

  it('refuses the same for a schedule', () => {
    const text = '[services.a]\nimage = "a:1"\ncommand = ["/go"]\n[services.a.job.schedule]\ncron = "0 3 * * *"\n';
    const application = parsed(`schema_version = 1\nname = "shop"\n${text}`);
    const former = (...inventory: ReturnType<typeof entry>[]) => kindChange({ application, id: ID, inventory });
    const refused = { code: 'kind_change', at: 'services.a.job' };
    expect(former(entry('apps/v1', 'Deployment', 'a'))).toMatchObject(refused);
    expect(former(entry('batch/v1', 'Job', 'a-job'))).toMatchObject(refused);
    expect(former(entry('batch/v1', 'CronJob', 'a-cron'))).toBeUndefined();
    expect(change(entry('batch/v1', 'CronJob', 'migrate-cron'))).toMatchObject({ code: 'kind_change' });
    // Nobody waits for a schedule, so it lengthens no release.
    expect(waitSeconds(application, 'a', BOUNDS)).toBe(0);
    expect(releaseSteps(application, BOUNDS).find((step) => step.name === 'service:a')?.kind).toBe('schedule');
  });

  it('accepts what stays what it is, and what is somebody else’s', () => {
    expect(change()).toBeUndefined();
    expect(change(entry('apps/v1', 'Deployment', 'api'), entry('batch/v1', 'Job', 'migrate-job'))).toBeUndefined();
    expect(change(entry('batch/v1', 'Job', 'api'), entry('apps/v1', 'Deployment', 'migrate', 'other'))).toBeUndefined();
  });
});
