import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../src/access/index.ts';
import type { Manifest, Result } from '../../src/kernel/index.ts';
import { deploymentOperations } from '../../src/pipeline/operations/deployments/operations.ts';
import { unfinished } from '../../src/pipeline/operations/deployments/resume.ts';
import { createPager } from '../../src/pipeline/operations/page.ts';
import type { Deployment } from '../../src/ports/api/index.ts';
import type { AuditEvent, Release } from '../../src/ports/index.ts';
import { parseSpec } from '../../src/spec/index.ts';
import { codeOf, INFO, keyed, must } from '../support/release-api.ts';
import { APP, NAMESPACE, type ReleaseWorld, startReleaseWorld } from '../support/release-world.ts';
import { until } from '../support/world.ts';

const BROKEN = { kind: 'fail', reason: 'ImagePullBackOff' } as const;

let world: ReleaseWorld;
let audited: AuditEvent[];
beforeEach(async () => {
  world = await startReleaseWorld();
  audited = [];
  Object.assign(world.deps.options, { rolloutTimeoutSeconds: 1 });
});
afterEach(() => world.stop());

const service = (name: string, extra = ''): string =>
  `[services.${name}]\nimage = "registry.example.test/${name}:1"\nport = 8080\n${extra}`;
const SHOP = `name = "shop"\n${service('api')}${service('web', 'depends_on = ["api"]\n')}${service('site', 'depends_on = ["web"]\n')}`;
const find = (kind: string, name: string): Manifest | undefined =>
  world.embedded
    .objects()
    .find((o) => o.kind === kind && o.metadata.namespace === NAMESPACE && o.metadata.name === name);
const phase = () => world.deps.store.applications.cached(APP)?.status.phase;

let keys = 0;
/** Resumes as the API does. */
async function resume(
  id: string,
  options: { readonly key?: string; readonly expected?: number; readonly principal?: Principal } = {},
): Promise<Result<Deployment>> {
  keys += 1;
  const {
    key = `resume-number-${keys}`,
    principal = LOCAL,
    expected = Number(id.slice(id.lastIndexOf('.') + 1)),
  } = options;
  const audit = {
    append: async (event: AuditEvent) => {
      audited.push(event);
    },
  };
  const limits = { applicationsPerEnvironment: 200, environmentsPerProject: 32 };
  const deps = { ...world.deps, audit, pager: createPager('test'), limits } as unknown as Parameters<
    typeof deploymentOperations
  >[0];
  return deploymentOperations(deps).resumeRelease(
    principal,
    { id, expected_revision: expected, idempotency_key: key },
    INFO,
  );
}

/** A first release whose second service never gets ready. */
async function failed(options: { readonly api?: boolean } = {}): Promise<string> {
  world.embedded.setBehaviour({ web: BROKEN });
  const name = await world.accept(SHOP, options);
  must(await world.run());
  await until('the cache knows', () => phase() === 'failed');
  world.embedded.setBehaviour({});
  return name;
}

describe('a release that failed', () => {
  it('goes on as the same revision, for what was not done and what depends on it', async () => {
    const name = await failed();
    const first = await world.release(name);
    expect(first.status.steps?.filter((step) => step.name.startsWith('service:'))).toMatchObject([
      { name: 'service:api', state: 'done' },
      { name: 'service:web', state: 'timed_out' },
      { name: 'service:site', state: 'skipped' },
    ]);
    // What was done is not looked at again, also when somebody changed it meanwhile.
    const api = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE, name: 'api' };
    must(await world.cluster.mergePatch(api, { spec: { replicas: 2 } }));
    const resumed = must(await resume(name));
    expect(resumed).toMatchObject({
      id: name,
      revision: 1,
      status: 'queued',
      resume_generation: 1,
      recovery_state: '',
    });
    expect(resumed.error_code).toBeUndefined();
    expect(await world.said(name)).toBe('pending: deploying revision 1');
    expect(world.jobs).toContainEqual({ queue: 'reconcile', application: APP });
    expect(audited).toMatchObject([{ action: 'deployment.resume', resource: { name } }]);
    await until('the cache knows', () => phase() === 'queued');
    must(await world.run());
    const { status } = await world.release(name);
    expect(status).toMatchObject({ state: 'succeeded', attempts: 2, resumed: { services: ['site', 'web'] } });
    expect(status.code).toBeUndefined();
    expect(status.deadline).not.toBe(first.status.deadline);
    expect(status.steps?.every(({ state }) => state === 'done')).toBe(true);
    expect(find('Deployment', 'api')).toMatchObject({ spec: { replicas: 2 } });
    expect(find('Deployment', 'site')).toBeDefined();
    expect(await world.said(name)).toBe('success: released revision 1');
    expect(phase()).toBe('healthy');
  });

  it('is resumed once by a request that comes twice, and again by another', async () => {
    const name = await failed();
    must(await resume(name, { key: 'the-same-key' }));
    expect(must(await resume(name, { key: 'the-same-key' })).resume_generation).toBe(1);
    expect(codeOf(await resume(name, { key: 'another-key' }))).toBe('not_resumable');
    world.embedded.setBehaviour({ web: BROKEN });
    must(await world.run());
    expect((await world.release(name)).status).toMatchObject({ state: 'failed', code: 'rollout_timeout' });
    // A repeat of what was done already starts nothing.
    expect(must(await resume(name, { key: 'the-same-key' })).status).toBe('failed');
    expect(must(await resume(name, { key: 'another-key' })).resume_generation).toBe(2);
  });

  it('runs a job that never ran because what it depends on failed', async () => {
    world.embedded.setBehaviour({ api: BROKEN });
    const job =
      '[services.migrate]\nimage = "registry.example.test/m:1"\ndepends_on = ["api"]\njob = { timeout_seconds = 10 }\n';
    const name = await world.accept(
      `name = "shop"\n${service('api')}${job}${service('web', 'depends_on = ["migrate"]\n')}`,
    );
    must(await world.run());
    await until('the cache knows', () => phase() === 'failed');
    world.embedded.setBehaviour({});
    must(await resume(name));
    must(await world.run());
    expect((await world.release(name)).status.state).toBe('succeeded');
    expect(find('Job', 'migrate-job')).toBeDefined();
  });

  it('that did not fit has room when it goes on, and nothing of the refusal stays', async () => {
    const allocatable = (cpu: string) => ({ status: { allocatable: { cpu, memory: '64Gi', pods: '100' } } });
    const node = { apiVersion: 'v1', kind: 'Node', name: 'embedded' };
    must(await world.cluster.mergePatch(node, allocatable('10m'), 'status'));
    const name = await world.accept(SHOP);
    must(await world.run());
    await until('the cache knows', () => phase() === 'failed');
    must(await world.cluster.mergePatch(node, allocatable('64'), 'status'));
    must(await resume(name));
    must(await world.run());
    const { state, steps = [] } = (await world.release(name)).status;
    expect(state).toBe('succeeded');
    expect(steps.filter((step) => step.state !== 'done')).toEqual([]);
  });

  it('asks for the authority of whoever resumed it while it runs', async () => {
    const name = await failed({ api: true });
    const someone = keyed(['deployments:write']);
    must(await resume(name, { principal: someone }));
    must(await world.run());
    // This key is nobody's.
    expect((await world.release(name)).status).toMatchObject({ state: 'cancelled', code: 'authority_revoked' });
  });

  it('is refused to who may not deploy there', async () => {
    const name = await failed();
    for (const principal of [keyed(['deployments:read']), keyed(['deployments:write'], { project: 'other' })])
      expect(codeOf(await resume(name, { principal }))).toBe('permission_denied');
  });
});

describe('resuming is refused', () => {
  it('for another revision than expected, and for one that is not there', async () => {
    const name = await failed();
    expect(codeOf(await resume(name, { expected: 7 }))).toBe('conflict');
    expect(codeOf(await resume(`${APP}.9`))).toBe('not_found');
  });

  it('for a release that succeeded, and for one that is not the latest', async () => {
    const old = await failed();
    const name = await world.accept(SHOP);
    expect(await resume(old)).toMatchObject({ problem: { code: 'not_resumable', message: /latest/ } } as object);
    must(await world.run());
    expect(codeOf(await resume(name))).toBe('not_resumable');
  });

  it('after the previous revision was put back', async () => {
    must(
      await (async () => {
        await world.accept(SHOP);
        return world.run();
      })(),
    );
    const name = await world.accept(SHOP.replace('web:1', 'broken:1'));
    world.embedded.setBehaviour({ [`registry.example.test/broken@sha256:${'a'.repeat(64)}`]: BROKEN });
    must(await world.run());
    expect((await world.release(name)).status.recovery?.state).toBe('succeeded');
    expect(codeOf(await resume(name))).toBe('not_resumable');
  });

  it('after a job of it failed, which runs once per revision', async () => {
    world.embedded.setBehaviour({ migrate: { kind: 'fail', reason: 'Error', exitCode: 3 } });
    const name = await world.accept(
      `name = "shop"\n${service('web', 'depends_on = ["migrate"]\n')}[services.migrate]\nimage = "registry.example.test/m:1"\njob = { timeout_seconds = 10 }\n`,
    );
    must(await world.run());
    expect(await resume(name)).toMatchObject({ problem: { code: 'not_resumable', at: 'services.migrate.job' } });
  });

  it('while secrets it needs are missing', async () => {
    const name = await world.accept(
      SHOP.replace('port = 8080', 'port = 8080\nsecrets = { TOKEN = { ref = "token" } }'),
    );
    must(await world.run());
    expect((await world.release(name)).status.code).toBe('missing_secrets');
    expect(codeOf(await resume(name))).toBe('missing_secrets');
    must(await world.deps.secrets.set({ project: 'acme', environment: 'production', name: 'shop' }, 'token', 'value'));
    must(await resume(name));
    must(await world.run());
    expect((await world.release(name)).status.state).toBe('succeeded');
  });
});

describe('what a resumed release carries out', () => {
  const parsed = parseSpec(SHOP);
  const desired = parsed.ok ? parsed.application : undefined;
  const again = (...done: string[]): readonly string[] | undefined =>
    desired &&
    unfinished(
      {
        status: { steps: done.map((name) => ({ name: `service:${name}`, state: 'done', at: '' })) },
      } as unknown as Release,
      desired,
    );
  it('is what is not done and everything that depends on it', () => {
    expect(again()).toEqual(['api', 'site', 'web']);
    expect(again('api')).toEqual(['site', 'web']);
    expect(again('api', 'web')).toEqual(['site']);
    expect(again('web', 'site')).toEqual(['api', 'site', 'web']);
    expect(again('api', 'web', 'site')).toEqual([]);
  });
});
