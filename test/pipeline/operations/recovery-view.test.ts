import { describe, expect, it } from 'vitest';
import { deploymentOf, eventsOf } from '../../../src/pipeline/operations/deployments/view.ts';
import { packSpec } from '../../../src/pipeline/release-body.ts';
import type { Release } from '../../../src/ports/index.ts';
import { parseSpec } from '../../../src/spec/index.ts';

const parsed = parseSpec('name = "shop"\n[services.web]\nimage = "nginx:1"\n');
if (!parsed.ok) throw new Error('the specification is wrong');
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

function releaseWith(status: Partial<Release['status']>): Release {
  return {
    name: 'acme.production.shop.2',
    resourceVersion: '1',
    generation: 1,
    uid: 'u',
    createdAt: at(0),
    deleting: false,
    annotations: {},
    finalizers: [],
    spec: {
      application: 'acme.production.shop',
      applicationId: '1'.repeat(32),
      revision: 2,
      specDigest: 'd',
      spec: packSpec(parsed.ok ? parsed.application : (undefined as never)),
      origin: { kind: 'api', actor: 'ada' },
    },
    status: { state: 'failed', startedAt: at(1), finishedAt: at(50), code: 'rollout_failed', message: 'no', ...status },
  };
}
const show = (release: Release) => deploymentOf(release, { application: undefined, source: undefined });
const told = (release: Release): readonly string[] =>
  eventsOf(release).map(({ type, message }) => `${type}: ${message}`);

describe('a recovery over the API', () => {
  it('that went well', () => {
    const release = releaseWith({
      steps: [
        { name: 'service:web', state: 'failed', startedAt: at(2), at: at(3), message: 'no' },
        { name: 'recovery/service:web', state: 'done', startedAt: at(5), at: at(6) },
      ],
      recovery: { state: 'succeeded', revision: 1, startedAt: at(4), finishedAt: at(7) },
    });
    expect(show(release)).toMatchObject({ status: 'failed', recovery_state: 'succeeded', recovery_revision: 1 });
    expect(told(release)).toEqual([
      'queued: accepted as revision 2',
      'running: started',
      'applying: service:web: running',
      'failed: no',
      'recovery_started: putting revision 1 back',
      'applying: recovery/service:web: running',
      'ready: recovery/service:web: done',
      'recovered: revision 1 was put back',
      'failed: no',
    ]);
    expect(eventsOf(release).filter(({ service }) => service === 'web')).toHaveLength(4);
  });

  it('that did not, that was skipped, and that goes on', () => {
    const failed = { state: 'failed', revision: 1, message: 'why', startedAt: at(4), finishedAt: at(7) } as const;
    expect(told(releaseWith({ recovery: failed }))).toContain('recovery_failed: revision 1 could not be put back: why');
    expect(show(releaseWith({ recovery: failed }))).toMatchObject({ recovery_state: 'failed', recovery_error: 'why' });
    const skipped = { state: 'skipped', message: 'volumes', startedAt: at(4), finishedAt: at(4) } as const;
    const events = told(releaseWith({ recovery: skipped }));
    expect(events).toContain('recovery_skipped: the previous revision was not put back: volumes');
    expect(events.join()).not.toContain('recovery_started');
    const running = releaseWith({ recovery: { state: 'running', revision: 1, startedAt: at(4) } });
    expect(told(running).filter((line) => line.startsWith('recover'))).toEqual([
      'recovery_started: putting revision 1 back',
    ]);
    expect(show(releaseWith({}))).toMatchObject({ recovery_state: '' });
  });

  it('and a resumed release: each end is an event of its own', () => {
    const resumed = { generation: 2, services: ['web'], idempotency: 'i', requestHash: 'h', at: at(20) };
    const release = releaseWith({ resumed });
    expect(told(release)).toContain('resume_queued: resumed for web');
    expect(eventsOf(release).at(-1)).toMatchObject({ id: 'failed/2', type: 'failed' });
    expect(show(release).resume_generation).toBe(2);
  });
});
