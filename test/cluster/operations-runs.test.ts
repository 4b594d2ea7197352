import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeApplyWorkloadContract } from '../contracts/apply-workload.contract.ts';
import { must } from '../contracts/cluster.contract.ts';
import { describeCreateWorkloadContract } from '../contracts/create-workload.contract.ts';
import { describeDeployContract } from '../contracts/deploy.contract.ts';
import { describeDeployRacesContract } from '../contracts/deploy-races.contract.ts';
import { describeRemoveContract } from '../contracts/remove.contract.ts';
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
import { connectReal, describeReal, inNewNamespace } from '../support/kubernetes.ts';
import { pushSleeper } from '../support/real-pods.ts';

/* Deploy, remove and apply on a real API server, and rollouts of real pods where there is a node. */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const ABSENT = `registry.invalid/app@sha256:${'b'.repeat(64)}`;

describeReal('deploy, remove and apply', (real) => {
  const open = async (): Promise<DeployStage> => stageOf(await inNewNamespace(connectReal(real)), ABSENT);
  describeDeployContract('real API server', open);
  describeDeployRacesContract('real API server', open);
  describeRemoveContract('real API server', open);
  describeApplyWorkloadContract('real API server', open);
  describeCreateWorkloadContract('real API server', open);
});

const hasNode = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!hasNode) console.warn('SKIPPED: rollouts of real pods: there is no rig with a node');

describe.skipIf(!hasNode)('rollouts of real pods', () => {
  let stage: DeployStage;
  beforeAll(async () => {
    stage = await stageOf(
      await inNewNamespace(connectReal(kubeconfig!)),
      await pushSleeper({ registry: registry!, storage: rig! }),
    );
  });
  afterAll(() => stage?.close());

  it(`${shows('deploy', 'create', 'update')} ${shows('rollout', 'ready')} runs, and runs again as told`, async () => {
    const instance = newInstance();
    const deploy = (env: Record<string, string>) =>
      run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web', { env })]), { realRollout: true });
    const first = await deploy({ A: '1' });
    expect(stepsOf(first.result)).toEqual([
      'web precondition succeeded',
      'web create succeeded',
      'web start succeeded',
      'web prune skipped',
    ]);
    const second = await deploy({ A: '2' });
    expect(second.result.outcome, JSON.stringify(second.result)).toBe('succeeded');
    const found = await live(stage, 'Deployment', `${instance.project}-web`);
    expect(found?.status).toMatchObject({ readyReplicas: 1, updatedReplicas: 1, replicas: 1 });
  });

  it(`${shows('deploy', 'rollout_timeout', 'restore')} ${shows('rollout', 'rollout_timeout', 'claim_reason', 'pod_reason')} names what the pod waits for and puts back what ran`, async () => {
    const instance = newInstance();
    const object = `${instance.project}-web`;
    await run(stage, 'deploy', requestOf(stage, instance, [serviceOf(stage, 'web', { env: { A: '1' } })]), {
      realRollout: true,
    });
    const digest = `sha256:${'c'.repeat(64)}`;
    const image = { reference: `${registry}/sleeper@${digest}`, digest };
    const claim = { name: `${instance.project}-data`, size: '1Mi', accessMode: 'ReadWriteOnce' as const };
    const deadline = new Date(Date.now() + 20_000).toISOString();
    const broken = requestOf(stage, instance, [serviceOf(stage, 'web', { image, env: { A: '2' } })], { deadline });
    const { result } = await run(stage, 'deploy', broken, { realRollout: true });
    expect(result.outcome).toBe('timed_out');
    expect(stepsOf(result)[2]).toMatch(/^web start timed_out rollout_timeout .*pod=(ErrImagePull|ImagePullBackOff)$/);
    expect(stepsOf(result)[3]).toBe('web restore succeeded');
    expect((await live(stage, 'ConfigMap', `${object}-env`))?.data).toEqual({ A: '1' });
    const unbound = { ...claim, class: 'nobody' };
    const mounted = serviceOf(stage, 'db', { mounts: [{ claim: claim.name, path: '/data' }] });
    const soon = new Date(Date.now() + 8000).toISOString();
    const waiting = requestOf(stage, newInstance(), [mounted], { claims: [unbound], deadline: soon });
    const stalled = await run(stage, 'deploy', waiting, { realRollout: true });
    expect(stepsOf(stalled.result)[2]).toContain('claim=Pending');
    expect(
      must(await stage.cluster.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: stage.namespace })),
    ).toHaveLength(1);
  });
});
