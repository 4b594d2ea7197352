import { z } from 'zod';
import type { Principal } from '../../access/index.ts';
import type { Result } from '../../kernel/index.ts';
import { type DeploymentStatusWord, DeploymentSummary, Observation } from './applications.ts';
import type { Operation } from './common.ts';
import { HexId, Name, Revision, SpecJson, Timestamp } from './common.ts';

/** `project.environment.name.revision`. */
export const DeploymentId = z
  .string()
  .max(160)
  .regex(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[1-9][0-9]{0,9}$/)
  .meta({ description: 'project.environment.application.revision' });
export const DeploymentParams = z.strictObject({ id: DeploymentId });

const Target = {
  project: Name,
  environment: Name,
  spec: SpecJson.optional().meta({ description: 'the specification as JSON; exactly one of spec and toml' }),
  toml: z.string().max(262_144).optional().meta({ description: 'the specification as TOML text' }),
  env_files: z
    .record(z.string().min(1).max(200), z.string().max(131_072))
    .optional()
    .meta({ description: 'the env files a TOML specification names, by path; sensitive entries become secrets' }),
  service: Name.optional().meta({ description: 'release this service only; not together with services' }),
  services: z.array(Name).min(1).max(20).optional().meta({ description: 'release these services only, each once' }),
  delete_service_volumes: z
    .array(Name)
    .max(20)
    .optional()
    .meta({ description: 'services that lose their own volume with this release: its data is deleted too' }),
};
/** Facts 6.1. That exactly one of spec and toml is there is `invalid_spec`; of service and services at most one, `invalid_service`. */
export const PlanRequest = z.strictObject(Target);
export type PlanRequest = z.infer<typeof PlanRequest>;
export const DeploymentRequest = z.strictObject({ ...Target, expected_revision: Revision });
export type DeploymentRequest = z.infer<typeof DeploymentRequest>;

export const PlanChange = z.strictObject({
  service: z.string().meta({ description: 'empty for what belongs to the application' }),
  field: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  sensitive: z.boolean().meta({ description: 'before and after are withheld' }),
  keys: z
    .strictObject({ added: z.array(z.string()), removed: z.array(z.string()), changed: z.array(z.string()) })
    .optional()
    .meta({ description: 'of a map: which keys differ, also where values are withheld' }),
});
/** Facts 11.1. */
export const PreflightReport = z.strictObject({
  checks: z
    .array(
      z.strictObject({
        code: z.string().meta({
          description:
            'nodes, service_capacity, node_capacity, shared_volume_capacity, resources or disk; more may follow',
        }),
        status: z.enum(['passed', 'blocked', 'unknown']),
        message: z.string(),
        at: z.string().optional().meta({ description: 'the field it is about' }),
      }),
    )
    .meta({ description: 'empty for an application without services' }),
  cpu_request_millis: z.int().min(0).meta({ description: 'thousandths of a core that all services ask for' }),
  memory_request_bytes: z.int().min(0),
  storage_gib: z.int().min(0).meta({ description: 'of all volumes; compared with nothing' }),
  observed_at: Timestamp,
});
/** Facts 7.9. */
export const Plan = z.strictObject({
  application_id: z.string().meta({ description: 'empty for a new application' }),
  expected_revision: Revision,
  spec: SpecJson.meta({ description: 'normalised; send it to POST /deployments' }),
  changes: z.array(PlanChange),
  warnings: z.array(z.string()),
  required_secrets: z.array(z.string()),
  missing_secrets: z.array(z.string()),
  preflight: PreflightReport.optional().meta({ description: 'whether the cluster has the room for it now' }),
});
export type Plan = z.infer<typeof Plan>;

/** The types of facts 6.3 that exist here; more may follow. */
export const DeploymentEvent = z.strictObject({
  id: z.string(),
  time: Timestamp,
  type: z.string(),
  message: z.string().max(2048),
  service: z.string().optional(),
});
export type DeploymentEvent = z.infer<typeof DeploymentEvent>;

/** Facts 7.9. */
export const Deployment = DeploymentSummary.extend({
  spec: SpecJson,
  resolved_spec: SpecJson.nullable().meta({ description: 'with image digests; null until images are resolved' }),
  result: Observation.optional(),
  events: z.array(DeploymentEvent).max(200).meta({ description: 'the last 200' }),
  recovery_state: z
    .enum(['', 'running', 'succeeded', 'failed', 'skipped'])
    .meta({ description: 'putting the last good revision back after this one failed' }),
  recovery_revision: Revision.optional(),
  recovery_error: z.string().optional().meta({ description: 'why it failed or was skipped' }),
  resume_generation: z.int().min(1).optional().meta({ description: 'how often it was resumed' }),
  held_source: z
    .string()
    .optional()
    .meta({ description: 'the Git source this release holds, until a new commit or `sources resume`' }),
});
export type Deployment = z.infer<typeof Deployment>;
/** Statuses after which nothing changes any more. */
export const TERMINAL: readonly z.infer<typeof DeploymentStatusWord>[] = [
  'succeeded',
  'failed',
  'cancelled',
  'superseded',
];

export const Cancelled = z.strictObject({ id: DeploymentId, status: z.literal('cancellation_requested') });
export const RollbackRequest = z.strictObject({ revision: Revision.min(1), expected_revision: Revision });
export const ServiceRequest = z.strictObject({ expected_revision: Revision });
export const ScaleRequest = ServiceRequest.extend({ replicas: z.int().min(0).max(100) });
export const ServiceParams = z.strictObject({ id: HexId, service: Name });

/** Facts 7.1: 8 to 128 characters; visible ASCII, as a header can carry it. */
export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{8,128}$/)
  .meta({ description: 'a repeated request with this key answers the same release' });
export const IdempotencyParams = z.strictObject({ key: IdempotencyKey });

type Keyed = { readonly idempotency_key: string };
type OnService = { readonly id: string; readonly service: string } & z.infer<typeof ServiceRequest> & Keyed;

/** Releases, whoever asks for them. Whatever makes one takes an idempotency key and the revision it expects. */
export interface DeploymentOperations {
  plan: Operation<PlanRequest, Plan>;
  create: Operation<DeploymentRequest & Keyed, Deployment>;
  show: Operation<{ readonly id: string }, Deployment>;
  cancel: Operation<{ readonly id: string }, z.infer<typeof Cancelled>>;
  rollback: Operation<{ readonly id: string } & z.infer<typeof RollbackRequest> & Keyed, Deployment>;
  restart: Operation<OnService, Deployment>;
  scale: Operation<OnService & { readonly replicas: number }, Deployment>;
  stop: Operation<OnService, Deployment>;
  resume: Operation<OnService, Deployment>;
  /** Lets the latest release go on after it failed. */
  resumeRelease: Operation<{ readonly id: string } & z.infer<typeof ServiceRequest> & Keyed, Deployment>;
  /** The release this key made for the caller's identity. */
  byIdempotencyKey: Operation<{ readonly key: string }, Deployment>;
  /** Whether the principal may read this release, from its id alone: no call to anything. Asked every 3 s of a stream. */
  mayFollow(principal: Principal, id: string): Result<void>;
}

/**
 * Followers of releases. However many follow one release, it is watched once. Each gets the newest state at the start and after every
 * change; states between may be left out, events are not, as a state has the last 200.
 */
export interface ReleaseFollower {
  follow(id: string, onState: (deployment: Deployment) => void): { stop(): void };
}
