import { z } from 'zod';
import type { Result } from '../../kernel/index.ts';
import { Claims, Service } from './deployment-service.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { checkTiming, Timing } from './timing.ts';
import { Digest, EndpointId, Label, parsed, RequestId, ServiceName, Uuid } from './words.ts';

const Project = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'not a project name');
const Identity = {
  deployment: Uuid,
  requestId: RequestId,
  endpoint: EndpointId,
  project: Project,
  revision: z.int().min(1).max(OPERATION_LIMITS.revision),
  ...Timing,
};
const Target = { namespace: Label, applicationId: Uuid, instanceId: Uuid, specDigest: Digest };

function unique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** The services of one application to apply in one namespace, and to wait for (cluster operations 0.2). */
export const DeploymentRequest = z
  .strictObject({
    ...Identity,
    services: z.array(Service).min(1).max(OPERATION_LIMITS.services),
    target: z.strictObject({ ...Target, claims: Claims }),
  })
  .refine(({ services }) => unique(services.map((one) => one.name)), { path: ['services'] })
  .refine(({ services }) => unique(services.flatMap((one) => one.clusterIP ?? [])), { path: ['services'] })
  // Every claim is mounted by exactly one service, and every mount names a claim.
  .refine(
    ({ services, target }) => {
      const mounted = services.flatMap((one) => [...new Set(one.mounts.map((mount) => mount.claim))]);
      const claims = target.claims.map((claim) => claim.name);
      return unique(mounted) && mounted.length === claims.length && claims.every((name) => mounted.includes(name));
    },
    { path: ['target', 'claims'] },
  );
export type DeploymentRequest = z.infer<typeof DeploymentRequest>;
export type DeploymentService = DeploymentRequest['services'][number];
export type DeploymentClaim = DeploymentRequest['target']['claims'][number];

/** The end of an instance: its objects go, its claims stay. */
export const RemovalRequest = z
  .strictObject({
    ...Identity,
    services: z.array(ServiceName).min(1).max(OPERATION_LIMITS.services),
    target: z.strictObject(Target),
  })
  .refine(({ services }) => unique(services), { path: ['services'] });
export type RemovalRequest = z.infer<typeof RemovalRequest>;

/** Validates in the order identity, times, content: `invalid_request` or `clock_skew` (cluster operations 0.2 and 0.3). */
export function parseDeploymentRequest(input: unknown, now: Date): Result<DeploymentRequest> {
  return validated(DeploymentRequest, input, now);
}

/** As `parseDeploymentRequest`, of a removal. */
export function parseRemovalRequest(input: unknown, now: Date): Result<RemovalRequest> {
  return validated(RemovalRequest, input, now);
}

function validated<T>(schema: z.ZodType<T>, input: unknown, now: Date): Result<T> {
  const identity = parsed(z.object(Identity), input);
  if (!identity.ok) return identity;
  const timing = checkTiming(identity.value, now);
  return timing.ok ? parsed(schema, input) : timing;
}
