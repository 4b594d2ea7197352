import type { z } from 'zod';
import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type Application,
  ApplicationSpec,
  ApplicationStatus,
  type BuildRun,
  BuildRunSpec,
  BuildRunStatus,
  type DomainClaim,
  DomainClaimSpec,
  DomainClaimStatus,
  type GitRepository,
  GitRepositorySpec,
  GitRepositoryStatus,
  type GitSource,
  GitSourceSpec,
  GitSourceStatus,
  type Log,
  PlanSpec,
  PlanStatus,
  type PullRequestPlan,
  type Release,
  ReleaseSpec,
  ReleaseStatus,
  type Resource,
} from '../../ports/index.ts';

/** How objects of one kind become values of ours. */
export type KindCodec<R> = { readonly kind: string; decode(object: Manifest): Result<R> };

/** The codec of one kind's schemas. */
export function codec<S, T>(kind: string, spec: z.ZodType<S>, status: z.ZodType<T>): KindCodec<Resource<S, T>> {
  return {
    kind,
    decode(object) {
      const parsedSpec = spec.safeParse(object.spec);
      const parsedStatus = status.safeParse(object.status ?? {});
      if (parsedSpec.success && parsedStatus.success)
        return ok({ ...identity(object), spec: parsedSpec.data, status: parsedStatus.data });
      const paths = [parsedSpec.error, parsedStatus.error].flatMap((e) => e?.issues.map((i) => i.path.join('.')) ?? []);
      const cause = { kind, name: object.metadata.name, paths };
      return fail(problem('invalid_object', `the stored ${kind} does not match its schema`, { cause }));
    },
  };
}

/** One object as a value of ours; what does not match its schema is logged and left out, as if it were not there. */
export function decodeOrSkip<R>(codec: KindCodec<R>, object: Manifest, log: Log): R | undefined {
  const decoded = codec.decode(object);
  if (decoded.ok) return decoded.value;
  log.warn('object skipped', { code: decoded.problem.code, cause: decoded.problem.cause });
  return undefined;
}

function identity({ metadata }: Manifest): Omit<Resource<unknown, unknown>, 'spec' | 'status'> {
  return {
    name: metadata.name,
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    uid: metadata.uid ?? '',
    createdAt: metadata.creationTimestamp ?? '',
    deleting: metadata.deletionTimestamp !== undefined,
    annotations: metadata.annotations ?? {},
    finalizers: metadata.finalizers ?? [],
  };
}

export const REPOSITORY: KindCodec<GitRepository> = codec('GitRepository', GitRepositorySpec, GitRepositoryStatus);
export const SOURCE: KindCodec<GitSource> = codec('GitSource', GitSourceSpec, GitSourceStatus);
export const APPLICATION: KindCodec<Application> = codec('Application', ApplicationSpec, ApplicationStatus);
export const PLAN: KindCodec<PullRequestPlan> = codec('Plan', PlanSpec, PlanStatus);
export const BUILD_RUN: KindCodec<BuildRun> = codec('BuildRun', BuildRunSpec, BuildRunStatus);
export const DOMAIN_CLAIM: KindCodec<DomainClaim> = codec('DomainClaim', DomainClaimSpec, DomainClaimStatus);
export const RELEASE: KindCodec<Release> = codec('Release', ReleaseSpec, ReleaseStatus);
