import type { ClusterObservation, Problem } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';
import { diskCheck, nodesCheck, pinnedChecks, resourcesCheck, serviceChecks } from './capacity.ts';
import { blockedProblem, type PreflightCheck, unknownWarning } from './check.ts';
import { type ClaimsOf, NO_CLAIMS } from './claims.ts';
import { roomsOf } from './nodes.ts';
import { pinProblems } from './pins.ts';
import { requestsOf, storageGib, together } from './requests.ts';
import { type Before, type Placement, sharedVolumes } from './shared.ts';
import { storageProblems, storageWarnings } from './storage.ts';

/** Facts 11.1. */
export type PreflightReport = {
  readonly checks: readonly PreflightCheck[];
  readonly cpuRequestMillis: number;
  readonly memoryRequestBytes: number;
  readonly storageGib: number;
  readonly observedAt: Date;
};

export type Preflight = {
  readonly report: PreflightReport;
  /** Why the cluster can not run the application: placement, then storage, then capacity (facts 11.4). */
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  readonly placement: Placement;
};

/**
 * Judges whether an application fits into the cluster (facts 11). An application without services asks for nothing and passes without checks.
 * `cluster` is `undefined` where nobody can ask it; then nothing is known.
 */
export function preflight(input: {
  readonly application: Application;
  /** The application's own, whose pods do not count as others'; `undefined` before it has one. */
  readonly namespace: string | undefined;
  readonly cluster: ClusterObservation | undefined;
  readonly claims?: ClaimsOf;
  readonly before?: Before;
  readonly now: Date;
}): Preflight {
  const { application, namespace, cluster, claims = NO_CLAIMS, before = { groups: [], placement: {} }, now } = input;
  const requests = requestsOf(application);
  const sum = together(requests);
  const base = {
    cpuRequestMillis: sum.cpuMillis,
    memoryRequestBytes: sum.memoryBytes,
    storageGib: storageGib(application),
    observedAt: cluster?.observedAt ?? now,
  };
  if (requests.length === 0) return { report: { checks: [], ...base }, problems: [], warnings: [], placement: {} };
  const rooms = cluster === undefined ? [] : roomsOf(cluster, namespace);
  const nodes = nodesCheck(cluster, rooms);
  const tolerant = tolerantOf(application);
  const shared = rooms.length === 0 ? undefined : sharedVolumes({ application, requests, rooms, claims, before });
  const checks = [
    nodes,
    ...(shared === undefined
      ? []
      : [
          ...serviceChecks(requests, rooms),
          ...pinnedChecks(requests, rooms),
          ...shared.checks,
          resourcesCheck(requests, rooms),
          diskCheck(rooms),
        ]),
  ].map((check) => withTolerations(check, tolerant));
  const validated =
    cluster === undefined
      ? []
      : [...pinProblems(application, cluster, claims), ...storageProblems(application, cluster, claims)];
  const blocked = checks.filter(({ status }) => status === 'blocked').map(blockedProblem);
  const unknown = checks.filter(({ status }) => status === 'unknown').map(unknownWarning);
  const waiting = cluster === undefined ? [] : storageWarnings(application, cluster, claims);
  return {
    report: { checks, ...base },
    problems: [...validated, ...blocked],
    warnings: [...unknown, ...waiting],
    placement: shared?.placement ?? {},
  };
}

/** Names of services whose patch lets their pods onto nodes that are not looked at here. */
function tolerantOf(application: Application): ReadonlySet<string> {
  const patched = Object.entries(application.services).filter(([, { kubernetes }]) =>
    /\btolerations\b/.test(kubernetes?.deployment ?? ''),
  );
  return new Set(patched.map(([name]) => name));
}

/** What a service with tolerations of its own is blocked by is not known for sure, nor is what all services need together. */
function withTolerations(check: PreflightCheck, tolerant: ReadonlySet<string>): PreflightCheck {
  if (check.status !== 'blocked' || tolerant.size === 0) return check;
  const isAboutAll = check.code === 'nodes' || check.code === 'resources';
  const isItsOwn = check.code === 'service_capacity' && [...tolerant].some((name) => check.at === `services.${name}`);
  return isAboutAll || isItsOwn
    ? { ...check, status: 'unknown', message: `${check.message}; but a Kubernetes patch sets tolerations` }
    : check;
}
