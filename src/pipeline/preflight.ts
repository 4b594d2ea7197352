import { ok, type Problem, type Result } from '../kernel/index.ts';
import { type Before, type ClaimsOf, NO_CLAIMS, type Preflight, preflight } from '../plan/index.ts';
import { dataClaimName, namespaceName, volumeClaimName } from '../render/index.ts';
import type { Application } from '../spec/index.ts';
import type { Deps } from './context.ts';

/** Whose release is asked about. */
export type PreflightQuestion = {
  readonly application: Application;
  /** The application's id, which names its namespace; `undefined` before it has one. */
  readonly id: string | undefined;
  /** Where groups that share storage were placed before; matters only to who places them. */
  readonly before?: Before;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Whether the cluster can run an application now (facts 11.1): asked at plan, at acceptance and again before a release writes anything. Reads
 * little: what the cluster has is shared by all who ask at the same time, claims are read only for an application that has some, and nothing
 * for one without services. A failure is a list that could not be read.
 */
export async function preflightOf(
  deps: Pick<Deps, 'capacity' | 'clock'>,
  question: PreflightQuestion,
): Promise<Result<Preflight>> {
  const { application, id, before, signal } = question;
  const input = {
    application,
    namespace: id === undefined ? undefined : namespaceName(id),
    now: deps.clock.now(),
    ...(before === undefined ? {} : { before }),
  };
  if (Object.keys(application.services).length === 0) return ok(preflight({ ...input, cluster: undefined }));
  const [cluster, claims] = await Promise.all([deps.capacity.observe(), claimsOf(deps, { application, id, signal })]);
  if (!cluster.ok) return cluster;
  return claims.ok ? ok(preflight({ ...input, cluster: cluster.value, claims: claims.value })) : claims;
}

/** The blocked report as a program reads it; goes into the answer of the API beside the message. */
export function withReport(problem: Problem, { report }: Preflight): Problem {
  return { ...problem, details: { ...problem.details, preflight: preflightView(report) } };
}

/** The report in the API's words (facts 11.1). */
export function preflightView(report: Preflight['report']): {
  readonly checks: { code: string; status: 'passed' | 'blocked' | 'unknown'; message: string; at?: string }[];
  readonly cpu_request_millis: number;
  readonly memory_request_bytes: number;
  readonly storage_gib: number;
  readonly observed_at: string;
} {
  return {
    checks: report.checks.map((check) => ({ ...check })),
    cpu_request_millis: report.cpuRequestMillis,
    memory_request_bytes: report.memoryRequestBytes,
    storage_gib: report.storageGib,
    observed_at: report.observedAt.toISOString(),
  };
}

async function claimsOf(
  deps: Pick<Deps, 'capacity'>,
  { application, id, signal }: Pick<PreflightQuestion, 'application' | 'id' | 'signal'>,
): Promise<Result<ClaimsOf>> {
  const volumes = Object.keys(application.volumes);
  const own = Object.keys(application.services).filter((name) => application.services[name]?.volume !== undefined);
  if (id === undefined || volumes.length + own.length === 0) return ok(NO_CLAIMS);
  const read = await deps.capacity.claims(namespaceName(id), signal);
  if (!read.ok) return read;
  const known = new Map(read.value.map((claim) => [claim.name, claim]));
  const named = <T extends string>(names: readonly T[], claimName: (name: T) => string): ClaimsOf['own'] =>
    Object.fromEntries(
      names.flatMap((name) => {
        const claim = known.get(claimName(name));
        return claim === undefined ? [] : [[name, claim] as const];
      }),
    );
  return ok({ volumes: named(volumes, volumeClaimName), own: named(own, dataClaimName) });
}
