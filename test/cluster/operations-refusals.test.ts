import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromClients } from '../../src/adapters/kubernetes/index.ts';
import { createStreams } from '../../src/adapters/kubernetes/operations/streams.ts';
import type { Manifest } from '../../src/kernel/index.ts';
import { type ClusterOperations, OPERATION_LIMITS } from '../../src/ports/cluster-operations/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { shows } from '../support/claims.ts';
import {
  type DeployStage,
  live,
  newInstance,
  requestOf,
  run,
  serviceOf,
  stageOf,
  stepsOf,
} from '../support/deploy-stage.ts';
import { connectReal, inNewNamespace, memoryLog, realClock, realKubeconfig } from '../support/kubernetes.ts';
import { refused } from '../support/recorded-api.ts';
import { until } from '../support/world.ts';

/* What a real API server refuses by its own policies, and how its own controllers end a rollout. No pod has to run. */

const kubeconfig = realKubeconfig('refusals of a real API server');
const IMAGE = `registry.invalid/app@sha256:${'b'.repeat(64)}`;
const REALLY = { realRollout: true } as const;
type Setup = NonNullable<Parameters<typeof run>[3]>;

const ADMISSION = 'admissionregistration.k8s.io/v1';

describe.skipIf(kubeconfig === undefined)('a real API server', () => {
  let stage: DeployStage;
  let operations: ClusterOperations;
  beforeAll(async () => {
    stage = await stageOf(await inNewNamespace(connectReal(kubeconfig!)), IMAGE);
    const client = { connection: stage.connection, clock: realClock, userAgent: 'test', timeoutMs: 20_000 };
    const log = memoryLog();
    operations = fromClients({ api: stage.api, streams: createStreams(client), clock: realClock, log });
  });
  afterAll(() => stage?.close());

  const deploy = (instance = newInstance(), setup: Setup = {}) =>
    run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web')]), setup);

  async function send(method: 'POST' | 'DELETE', path: string, body?: object): Promise<number> {
    const answer = await stage.connection.send({
      ...{ method, path, accept: 'application/json', userAgent: 'hakopod-test' },
      ...(body === undefined ? {} : { body: JSON.stringify(body), contentType: 'application/json' }),
      signal: AbortSignal.timeout(20_000),
    });
    await answer.body.toArray();
    return answer.status;
  }

  /** While it runs, a policy of the cluster refuses every change of a Deployment here, for this reason. */
  async function underPolicy(reason: 'Forbidden' | 'Invalid', change: () => Promise<void>): Promise<void> {
    const name = `hakopod-${randomBytes(4).toString('hex')}`;
    const policy = {
      ...{ apiVersion: ADMISSION, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: changesHere(),
        validations: [
          {
            expression: 'request.userInfo.username == "system:serviceaccount:kube-system:deployment-controller"',
            reason,
          },
        ],
      },
    };
    const binding = {
      ...{ apiVersion: ADMISSION, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
      spec: { policyName: name, validationActions: ['Deny'] },
    };
    await during({ validatingadmissionpolicies: policy, validatingadmissionpolicybindings: binding }, change);
  }

  /** While it runs, every change of a Deployment here waits for a webhook that nobody answers. */
  async function underDeadWebhook(change: () => Promise<void>): Promise<void> {
    const name = `hakopod-${randomBytes(4).toString('hex')}`;
    const { resourceRules: rules, namespaceSelector } = changesHere();
    const webhook = {
      ...{ name: 'dead.hakopod.test', rules, namespaceSelector, failurePolicy: 'Fail', sideEffects: 'None' },
      ...{ admissionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' }, timeoutSeconds: 1 },
    };
    const body = {
      ...{ apiVersion: ADMISSION, kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks: [webhook] },
    };
    await during({ validatingwebhookconfigurations: body }, change);
  }

  const changesHere = () => ({
    resourceRules: [
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE', 'DELETE'], resources: ['deployments'] },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } },
  });

  /** Makes objects of admission, by their resource, until `change` is done. */
  async function during(
    made: Readonly<Record<string, { readonly metadata: { readonly name: string } }>>,
    change: () => Promise<void>,
  ): Promise<void> {
    const paths = Object.entries(made).map(([resource, body]) => ({ path: `/apis/${ADMISSION}/${resource}`, body }));
    const probe = await standing();
    for (const { path, body } of paths) expect(await send('POST', path, body)).toBe(201);
    try {
      await until('it is in force', async () => !(await touch(probe)).ok, 30_000);
      await change();
    } finally {
      for (const { path, body } of paths) await send('DELETE', `${path}/${body.metadata.name}`);
      await until('it is gone', async () => (await touch(probe)).ok, 30_000);
    }
  }
  const refOf = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: stage.namespace, name });
  const touch = (name: string) =>
    stage.cluster.mergePatch(refOf(name), { metadata: { annotations: { touched: randomBytes(4).toString('hex') } } });

  /** A Deployment of somebody else, without pods. */
  async function standing(image = 'registry.invalid/web:1'): Promise<string> {
    const name = `w${randomBytes(4).toString('hex')}`;
    const labels = { app: name };
    const { kind, apiVersion, ...metadata } = refOf(name);
    const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    must(await stage.cluster.create({ apiVersion, kind, metadata, spec } as Manifest));
    await until('its controller has seen it', async () => {
      const { status } = must(await stage.cluster.get(refOf(name))) as {
        readonly status?: { observedGeneration?: number };
      };
      return status?.observedGeneration === 1;
    });
    return name;
  }
  /** A change of it, as an apply sends it. */
  async function applyTo(name: string, change: object = {}, setup: Setup = {}) {
    const target = { namespace: stage.namespace, kind: 'deployment', name } as const;
    const { observedAt: _, ...spec } = must(await operations.readWorkload(target));
    const { resourceVersion } = spec;
    const times = { issuedAt: new Date().toISOString(), deadline: new Date(Date.now() + 60_000).toISOString() };
    const who = { request: '0f8fad5b-d9cb-469f-a165-70867728950e', endpoint: 'endpoint-1' };
    const request = { ...who, ...times, target, resourceVersion, create: false, spec: { ...spec, ...change } };
    return run(stage, 'applyWorkload', request, setup);
  }

  it(`${shows('operate', 'admission_denied')} ${shows('applyWorkload', 'admission_denied')} ${shows('deploy', 'admission_denied')} calls what a policy forbids denied by admission, whatever status it chose`, async () => {
    const name = await standing();
    const instance = newInstance();
    expect((await deploy(instance)).result.outcome).toBe('succeeded');
    await underPolicy('Forbidden', async () => {
      for (const action of ['workload.restart', 'workload.delete'])
        expect(
          await operations.operate({ id: '1', action, reference: `${stage.namespace}/deployment/${name}` }),
        ).toEqual({
          outcome: 'denied',
          detail: 'admission_denied',
        });
      const applied = await applyTo(name, { replicas: 0, paused: true });
      expect(stepsOf(applied.result)[1]).toBe('workload apply denied admission_denied');
      const deployed = await deploy(instance);
      expect(stepsOf(deployed.result)[1]).toBe(`web create denied admission_denied Deployment/${instance.project}-web`);
    });
    expect(await live(stage, 'Deployment', name)).toBeDefined();
    await underPolicy('Invalid', async () => {
      const restart = { id: '1', action: 'workload.restart', reference: `${stage.namespace}/deployment/${name}` };
      expect(await operations.operate(restart)).toEqual({ outcome: 'denied', detail: 'admission_denied' });
      expect(stepsOf((await applyTo(name, { paused: true })).result)[1]).toBe('workload apply denied admission_denied');
    });
  }, 120_000);

  it(`${shows('operate', 'runtime_status')} ${shows('machine', 'runtime_status')} says the status of every other refusal`, async () => {
    const name = await standing();
    await underDeadWebhook(async () => {
      const restart = { id: '1', action: 'workload.restart', reference: `${stage.namespace}/deployment/${name}` };
      expect(await operations.operate(restart)).toEqual({ outcome: 'failed', detail: 'runtime_status 500' });
      const applied = await applyTo(name, { paused: true });
      expect(stepsOf(applied.result)[1]).toBe('workload apply failed runtime_status 500');
    });
  }, 120_000);

  it(`${shows('machine', 'started_once', 'skipped_after_failure', 'started_never')} tells of the start once, before the first write, or never`, async () => {
    const instance = newInstance();
    const done = await deploy(instance);
    expect([done.result.outcome, done.started]).toEqual(['succeeded', 1]);
    const missing = await deploy(newInstance(), {
      prepare: ({ meet }) => meet('get ConfigMap', () => refused(500)),
    });
    expect([stepsOf(missing.result), missing.started, missing.writes()]).toEqual([
      ['web precondition failed runtime_status 500', 'web create skipped', 'web start skipped', 'web prune skipped'],
      0,
      [],
    ]);
  });

  it(`${shows('machine', 'cancelled', 'runtime_timeout')} tells a caller that left from a deadline that passed`, async () => {
    const leave = new AbortController();
    const left = await deploy(newInstance(), {
      signal: leave.signal,
      prepare: ({ meet }) => meet('create ConfigMap', () => void leave.abort()),
    });
    expect(stepsOf(left.result)[1]).toBe('web create unknown cancelled');
    const deadline = new Date(Date.now() + 3000).toISOString();
    const request = requestOf(stage, newInstance(), [serviceOf(stage, 'web')], { deadline });
    const late = await run(stage, 'deploy', request, {
      prepare: ({ meet }) => meet('create ConfigMap', async () => void (await sleep(3500))),
    });
    expect(stepsOf(late.result)[1]).toBe('web create timed_out runtime_timeout');
  });

  it(`${shows('rollout', 'zero_replicas', 'transient_read')} is ready without pods, past readings that are nobody's answer`, async () => {
    const name = await standing();
    const target = { namespace: stage.namespace, kind: 'deployment', name } as const;
    const { containers } = must(await operations.readWorkload(target));
    const changed = containers.map((one) => ({ ...one, args: ['--changed'] }));
    let reads = 0;
    const done = await applyTo(
      name,
      { containers: changed },
      {
        ...REALLY,
        prepare: (recorded) =>
          recorded.meet(
            'get Deployment',
            () => {
              if (recorded.writes().length === 0) return undefined;
              reads += 1;
              return reads === 1 ? refused(503) : undefined;
            },
            Number.POSITIVE_INFINITY,
          ),
      },
    );
    expect(stepsOf(done.result).at(-1)).toBe('workload rollout succeeded');
    expect(reads).toBeGreaterThan(1);
  });

  it(`${shows('rollout', 'two_strikes', 'reasons')} fails when the controller may not make pods, and says why`, async () => {
    const metadata = { name: 'no-pods', namespace: stage.namespace };
    const quota = must(
      await stage.cluster.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard: { pods: '0' } } }),
    );
    const ref = { apiVersion: 'v1', kind: 'ResourceQuota', ...metadata };
    await until(
      'the quota is counted',
      async () => (must(await stage.cluster.get(ref))?.status as { hard?: object } | undefined)?.hard !== undefined,
    );
    const ran = await deploy(newInstance(), REALLY);
    must(await stage.cluster.delete(ref, { uid: quota.metadata.uid ?? '', propagation: 'Background' }));
    expect(stepsOf(ran.result)[2]).toMatch(/^web start failed rollout_timeout .*replicafailure=FailedCreate/);
    expect(ran.result.outcome).toBe('failed');
  });

  it(`${shows('rollout', 'permanent_read', 'cancelled')} ${shows('deploy', 'unknown')} ends when the Deployment is gone or the caller has left`, async () => {
    const instance = newInstance();
    const object = `${instance.project}-web`;
    const drop = async (): Promise<undefined> => {
      const found = must(await stage.cluster.get(refOf(object)));
      must(await stage.cluster.delete(refOf(object), { uid: found?.metadata.uid ?? '', propagation: 'Background' }));
      return undefined;
    };
    let reads = 0;
    const gone = await deploy(instance, {
      ...REALLY,
      prepare: ({ meet, writes }) =>
        meet(
          `get Deployment/${object}`,
          async () => {
            if (!writes().some((key) => key.includes('Deployment'))) return undefined;
            reads += 1;
            return reads === 2 ? drop() : undefined;
          },
          Number.POSITIVE_INFINITY,
        ),
    });
    expect(stepsOf(gone.result)[2]).toBe('web start failed runtime_status 404');
    const leave = new AbortController();
    const other = newInstance();
    let seen = 0;
    const left = await deploy(other, {
      ...REALLY,
      signal: leave.signal,
      prepare: ({ meet, writes }) =>
        meet(
          'get Deployment',
          () => {
            if (!writes().some((key) => key.includes('Deployment'))) return undefined;
            seen += 1;
            if (seen === 2) leave.abort();
            return undefined;
          },
          Number.POSITIVE_INFINITY,
        ),
    });
    expect(stepsOf(left.result)[2]).toBe('web start unknown cancelled');
    expect(left.result.outcome).toBe('unknown');
    expect(await live(stage, 'Deployment', `${other.project}-web`)).toBeDefined();
  });

  it(`${shows('snapshot', 'clean')} shows no image that steers a terminal or has no end`, async () => {
    const odd = await standing(`registry.invalid/web:1\u202e\u0007x`);
    const long = await standing(`registry.invalid/${'a'.repeat(3000)}`);
    const { workloads } = await operations.snapshot();
    const imageOf = (name: string): string | undefined => workloads.find((one) => one.name === name)?.images[0];
    expect(imageOf(odd)).toBe('registry.invalid/web:1x');
    expect(Buffer.byteLength(imageOf(long) ?? '')).toBe(OPERATION_LIMITS.snapshotImageBytes);
  });
});
