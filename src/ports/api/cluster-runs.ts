import { z } from 'zod';
import {
  type DeploymentRequest,
  OPERATION_LIMITS,
  type RemovalRequest,
  RequestId,
} from '../cluster-operations/index.ts';
import { type ClusterRun, RunKind } from '../cluster-runs.ts';
import { toSnake } from './snake.ts';

const Text = z.string().max(OPERATION_LIMITS.imageBytes);

/** What every run is asked with. */
export const RunFields = {
  request_id: RequestId.optional().meta({ description: 'asked again with it, a run is not done twice' }),
  timeout_seconds: z
    .int()
    .min(1)
    .max(OPERATION_LIMITS.lifetimeMs / 1000)
    .default(600),
};

const RunTarget = {
  namespace: Text,
  application_id: Text.meta({ description: 'a UUID of the caller’s own' }),
  instance_id: Text.meta({ description: 'a UUID: only what carries it is ever changed or deleted' }),
  spec_digest: Text.meta({ description: 'sha256:…, of what the caller deploys' }),
};
const Identity = { project: Text, revision: z.int().default(1) };

const Port = z.strictObject({
  protocol: z.enum(['tcp', 'udp']).default('tcp'),
  published: z.int(),
  target: z.int(),
});
const Mount = z.strictObject({ claim: Text, path: z.string(), read_only: z.boolean().default(false) });
const Claim = z.strictObject({
  name: Text,
  class: Text.optional(),
  size: Text,
  access_mode: z.literal('ReadWriteOnce').default('ReadWriteOnce'),
});
const ServiceToRun = z.strictObject({
  name: Text,
  image: z.strictObject({ reference: Text.meta({ description: 'host/path@sha256:…, no tag' }), digest: Text }),
  restart: z.enum(['', 'always', 'unless-stopped']).default(''),
  ports: z.array(Port).default([]),
  env: z.record(z.string(), z.string()).default({}),
  secret_keys: z.array(z.string()).default([]).meta({ description: 'of env, kept in a Secret; ascending' }),
  cluster_ip: Text.optional(),
  mounts: z.array(Mount).default([]),
});

/** Services of one instance to apply in one namespace, in snake case. The operation checks it whole. */
export const ClusterDeployment = z.strictObject({
  ...RunFields,
  ...Identity,
  target: z.strictObject({ ...RunTarget, claims: z.array(Claim).default([]) }),
  services: z.array(ServiceToRun),
});
export type ClusterDeployment = z.infer<typeof ClusterDeployment>;

/** The end of an instance; its claims stay. */
export const ClusterRemoval = z.strictObject({
  ...RunFields,
  ...Identity,
  target: z.strictObject(RunTarget),
  services: z.array(Text),
  confirm_name: Text.meta({ description: 'the project, typed again' }),
});
export type ClusterRemoval = z.infer<typeof ClusterRemoval>;

type Given = 'deployment' | 'requestId' | 'endpoint' | 'issuedAt' | 'deadline';

/** The request in the words of the cluster operations, without who asks and when. Names of variables are nobody's fields. */
export function deploymentOf(input: ClusterDeployment): Omit<DeploymentRequest, Given> {
  const { project, revision, target, services } = input;
  return {
    project,
    revision,
    target: {
      ...targetOf(target),
      claims: target.claims.map(({ access_mode: accessMode, ...claim }) => ({ ...claim, accessMode })),
    },
    services: services.map(({ secret_keys: secretKeys, cluster_ip: clusterIP, mounts, ...service }) => ({
      ...service,
      secretKeys,
      ...(clusterIP === undefined ? {} : { clusterIP }),
      mounts: mounts.map(({ read_only: readOnly, ...mount }) => ({ ...mount, readOnly })),
    })),
  };
}

/** As `deploymentOf`, of a removal. */
export function removalOf({ project, revision, target, services }: ClusterRemoval): Omit<RemovalRequest, Given> {
  return { project, revision, target: targetOf(target), services };
}

function targetOf(target: ClusterRemoval['target']) {
  const { namespace, application_id: applicationId, instance_id: instanceId, spec_digest: specDigest } = target;
  return { namespace, applicationId, instanceId, specDigest };
}

/** How something done in the cluster ended. */
export const Outcomes = z.enum(['succeeded', 'failed', 'denied', 'timed_out', 'unknown']);

export const ClusterRunParams = z.strictObject({ id: RequestId });

/** A run as it stands; steps and services are there once it has ended. */
export const ClusterRunAnswer = z.strictObject({
  id: z.string(),
  kind: RunKind,
  namespace: z.string(),
  name: z.string(),
  state: z.enum(['running', 'ended']),
  requested_at: z.string(),
  deadline: z.string(),
  started_at: z.string().optional().meta({ description: 'just before the first write' }),
  ended_at: z.string().optional(),
  outcome: Outcomes.optional(),
  code: z
    .string()
    .optional()
    .meta({ description: 'restarted: whoever carried it out is gone; it is never done again' }),
  steps: z.array(
    z.strictObject({
      service: z.string(),
      step: z.string(),
      outcome: z.string(),
      code: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
  services: z.array(z.looseObject({ service: z.string() })),
});
export type ClusterRunAnswer = z.infer<typeof ClusterRunAnswer>;

/** A run as people and programs are told of it. */
export function runAnswer({ spec, status }: ClusterRun): ClusterRunAnswer {
  const { id, kind, namespace, name, requestedAt, deadline } = spec;
  const { state, startedAt, endedAt, outcome, code, steps = [], services = [] } = status;
  return {
    id,
    kind,
    namespace,
    name,
    state: state === 'ended' ? 'ended' : 'running',
    requested_at: requestedAt,
    deadline,
    ...(startedAt === undefined ? {} : { started_at: startedAt }),
    ...(endedAt === undefined ? {} : { ended_at: endedAt }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(code === undefined ? {} : { code }),
    steps,
    services: toSnake(services) as ClusterRunAnswer['services'],
  };
}
