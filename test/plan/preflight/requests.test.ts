import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amounts, application, GIB, judge, NOW, service } from './support.ts';

describe('request arithmetic (facts 11.2)', () => {
  it.each([
    ['one service', service('web', 100, 64), [100, 64]],
    ['replicas', service('web', 100, 64, 'replicas = 3'), [300, 192]],
    [
      'the most that autoscaling may start',
      service(
        'web',
        100,
        64,
        'replicas = 2\n[services.web.autoscaling]\nmin_replicas = 2\nmax_replicas = 5\ntarget_cpu = 50',
      ),
      [500, 320],
    ],
    ['a stopped service as one that runs', service('web', 100, 64, 'suspended = true'), [100, 64]],
    ['services together', service('a', 100, 64) + service('b', 50, 32), [150, 96]],
    [
      'of deployment jobs the largest CPU and the largest memory, from different ones',
      service('web', 100, 64) + service('cpu', 400, 16, 'job = {}') + service('mem', 20, 256, 'job = {}'),
      [500, 320],
    ],
    [
      'a scheduled job like a service',
      service('web', 100, 64) +
        service('cron', 30, 16, 'job = { schedule = { cron = "0 3 * * *" } }') +
        service('m', 10, 8, 'job = {}'),
      [140, 88],
    ],
  ])('counts %s', (_what, toml, [cpu, memory]) => {
    const { report } = judge(toml);
    expect([report.cpuRequestMillis, report.memoryRequestBytes / 1024 ** 2]).toEqual([cpu, memory]);
  });

  it('counts a service for sessions as eight pods and a job that people start as a service', () => {
    const plain = application(service('web', 100, 64) + service('job', 10, 16, 'job = {}'));
    const { web, job } = plain.services;
    const session = { allowed_identities: [], helper_command: [], idle_seconds: 60, lifetime_seconds: 60 };
    const invocation = { allowed_identities: [], input_keys: [], max_input_bytes: 1, queue_limit: 1 };
    const services = { web: { ...web!, session }, job: { ...job!, job: { ...job!.job!, invocation } }, other: job! };
    const { report } = judge('[services]', undefined, { application: { ...plain, services } });
    expect(report.cpuRequestMillis).toBe(8 * 100 + 10 + 10);
  });

  it('adds up the GiB of all volumes, and only reports them', () => {
    const toml = `${service('a', 10, 16, '[services.a.volume]\nmount_path = "/data"\nsize_gib = 7')}[volumes.shared]\nsize_gib = 100\n`;
    const judged = judge(toml);
    expect(judged.report.storageGib).toBe(107);
    expect(judged.problems).toEqual([]);
  });

  it('has nothing to ask of a cluster without services', () => {
    const judged = judge('[services]', undefined, { cluster: undefined });
    expect(judged).toEqual({
      report: { checks: [], cpuRequestMillis: 0, memoryRequestBytes: 0, storageGib: 0, observedAt: NOW },
      ...{ problems: [], warnings: [], placement: {} },
    });
  });

  it('is the sum whatever the services are', () => {
    const one = fc.record({
      cpu: fc.integer({ min: 1, max: 500 }),
      memory: fc.integer({ min: 1, max: 512 }),
      replicas: fc.integer({ min: 1, max: 20 }),
      isJob: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (all) => {
        const toml = all.map(({ cpu, memory, replicas, isJob }, i) =>
          service(`s${i}`, cpu, memory, isJob ? 'job = {}' : `replicas = ${replicas}`),
        );
        const services = all.filter(({ isJob }) => !isJob);
        const jobs = all.filter(({ isJob }) => isJob);
        const cpu = services.reduce((sum, s) => sum + s.cpu * s.replicas, 0) + Math.max(0, ...jobs.map((j) => j.cpu));
        const memory =
          services.reduce((sum, s) => sum + s.memory * s.replicas, 0) + Math.max(0, ...jobs.map((j) => j.memory));
        const { report } = judge(toml.join(''));
        const want = amounts(cpu, memory);
        expect([report.cpuRequestMillis, report.memoryRequestBytes]).toEqual([want.cpuMillis, want.memoryBytes]);
      }),
      { numRuns: 100 },
    );
    expect(GIB).toBe(2 ** 30);
  });
});
