import { LIMITS, type Manifest, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource, GitSource, Release } from '../../ports/index.ts';
import { serviceStates } from '../../reconcile/index.ts';
import { type Application, requiredSecrets } from '../../spec/index.ts';
import { describeOutcome, readyCondition, type Standing } from '../../status/index.ts';
import { pruneBuilds } from '../builds.ts';
import { grantState } from '../grant-expiry.ts';
import { reportOf, reportsOf, withReport } from '../ledger.ts';
import { requestJob } from '../preview-environment/ended.ts';
import { isPreview } from '../preview-environment/names.ts';
import { unpackSpec } from '../release-body.ts';
import { renderOptions } from './options.ts';
import { ownSelector, type Session, writeApplication } from './session.ts';
import { recoveredRevision, standingRelease } from './standing.ts';

/** How a release ended. */
export type Ending =
  | { readonly state: 'succeeded' }
  | { readonly state: 'failed' | 'cancelled' | 'superseded'; readonly problem: Problem; readonly lost?: boolean };

const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled', 'superseded']);

/** True when the release has ended. */
export function isEnded(release: Release): boolean {
  return FINAL.has(release.status.state ?? 'queued');
}

/** Writes the end on the release itself: the one write that decides it. Everything in `announce` follows from it and can be repeated. */
export async function endRelease(session: Session, release: Release, ending: Ending): Promise<Result<Release>> {
  const { clock, metrics, log, store } = session.deps;
  const now = clock.now();
  const failure = ending.state === 'succeeded' ? undefined : ending.problem;
  let ended = false;
  const written = await store.releases.updateStatus(release.name, (current) => {
    ended = !isEnded(current);
    if (!ended) return undefined;
    return {
      ...current.status,
      state: ending.state,
      finishedAt: now.toISOString(),
      ...(failure === undefined
        ? {}
        : { code: failure.code, message: failure.message, ...(failure.at === undefined ? {} : { at: failure.at }) }),
      ...('lost' in ending && ending.lost === true ? { lost: true } : {}),
      conditions: [
        readyCondition(current.status.conditions, {
          status: failure === undefined ? 'True' : 'False',
          reason: failure?.code ?? 'succeeded',
          message: failure?.message ?? 'released',
          now,
          generation: current.generation,
        }),
      ],
    };
  });
  if (written.ok && ended) {
    metrics.release(ending.state);
    log.info('release ended', { release: release.name, state: ending.state, code: failure?.code, at: failure?.at });
  }
  return written;
}

/**
 * Tells everyone who cares about an ended release: the application, the source's ledger and the forge, then prunes the history. Safe to
 * repeat; a run that was cut off after `endRelease` ends here on the next one.
 */
export async function announce(
  session: Session,
  release: Release,
  input: { readonly isLatest: boolean; readonly by: string | undefined },
): Promise<Result<void>> {
  if (input.isLatest) {
    const told = await tellApplication(session, release);
    if (!told.ok) return told;
    // The comment of its request says how it stands.
    const asked = isPreview(told.value) ? await session.deps.jobs.add(requestJob(told.value)) : ok(undefined);
    if (!asked.ok) return asked;
  }
  return tellSource(session, release, input.by);
}

async function tellApplication(session: Session, release: Release): Promise<Result<ApplicationResource>> {
  const { state } = release.status;
  const standing = await standingRelease(session, release);
  if (!standing.ok) return standing;
  const desired = unpackSpec(standing.value.spec.spec);
  if (!desired.ok) return desired;
  const services = await observeServices(session, standing.value, desired.value);
  if (!services.ok) return services;
  const now = session.deps.clock.now();
  const isEmpty = Object.keys(desired.value.services).length === 0;
  return writeApplication(session, (status, current: ApplicationResource) => ({
    ...status,
    observedGeneration: current.generation,
    phase: (status.acceptedRevision ?? 0) > release.spec.revision ? 'queued' : phaseAfter(release, isEmpty),
    cancelled: status.cancelled?.filter((revision) => revision > release.spec.revision),
    ...(state === 'succeeded' ? { revision: release.spec.revision } : {}),
    services: [...services.value],
    drift: undefined,
    conditions: [
      readyCondition(status.conditions, {
        status: state === 'succeeded' ? 'True' : 'False',
        reason: release.status.code ?? 'released',
        message: endMessage(release),
        now,
        generation: current.generation,
      }),
    ],
  }));
}

/** What an application says of its newest release that has ended. */
export function endMessage(release: Release): string {
  const { message } = release.status;
  if (message === undefined) return `revision ${release.spec.revision} is released`;
  const recovered = recoveredRevision(release);
  return recovered === undefined ? message : `${message}; revision ${recovered} was put back`;
}

type Phase = NonNullable<ApplicationResource['status']['phase']>;

/** Where an application stands whose newest release has ended, or of which no release is left. */
export function phaseAtRest(latest: Release | undefined): Phase {
  if (latest === undefined) return 'cancelled';
  const desired = unpackSpec(latest.spec.spec);
  return phaseAfter(latest, desired.ok && Object.keys(desired.value.services).length === 0);
}

function phaseAfter(release: Release, isEmpty: boolean): Phase {
  const { state } = release.status;
  if (state === 'succeeded') return isEmpty ? 'empty' : 'healthy';
  if (recoveredRevision(release) !== undefined) return 'recovered';
  return state === 'failed' ? 'failed' : 'cancelled';
}

async function observeServices(
  session: Session,
  release: Release,
  desired: Application,
): Promise<Result<ReturnType<typeof serviceStates>>> {
  const { cluster, store, options } = session.deps;
  const labelSelector = ownSelector(session);
  const kinds = [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'batch/v1', kind: 'Job' },
    { apiVersion: 'batch/v1', kind: 'CronJob' },
    { apiVersion: 'v1', kind: 'Pod' },
  ];
  const lists = await Promise.all(
    kinds.map((kind) => cluster.list({ ...kind, namespace: session.namespace, labelSelector })),
  );
  const objects: Manifest[] = [];
  for (const list of lists) {
    if (!list.ok) return list;
    objects.push(...list.value);
  }
  const application = await store.applications.get(session.application);
  if (!application.ok) return application;
  return ok(
    serviceStates({
      application: desired,
      id: session.id,
      revision: release.spec.revision,
      options: renderOptions(options),
      images: release.status.resolved ?? {},
      objects,
      jobs: application.value?.status.jobs ?? [],
    }),
  );
}

/** The source's ledger gets its final entry, unless it has one; the forge is told by the report queue. */
async function tellSource(session: Session, release: Release, by: string | undefined): Promise<Result<void>> {
  const { origin, revision } = release.spec;
  const { store, clock, jobs } = session.deps;
  const { source, commit } = origin;
  if (source === undefined || commit === undefined) return ok(undefined);
  const written = await store.sources.updateStatus(source, (current) => {
    const succeeded = release.status.state === 'succeeded';
    const released =
      succeeded && (current.status.released?.revision ?? 0) < revision ? { commit, revision } : current.status.released;
    const entry = reportOf(current, commit);
    const isTold = entry !== undefined && entry.desired.outcome !== 'pending';
    if (isTold && released === current.status.released) return undefined;
    const reports = isTold
      ? current.status.reports
      : withReport(
          reportsOf(current),
          commit,
          describeOutcome(standing(release, by, grantEnds(session, current))),
          clock.now(),
        );
    return { ...current.status, released, reports };
  });
  if (!written.ok) return written.problem.code === 'not_found' ? ok(undefined) : written;
  return jobs.add({ queue: 'report', source, commit });
}

/** The day the source's grant ends, when that is soon: whoever looks at the commit's status hears of it before a push is refused. */
function grantEnds({ deps }: Session, { spec }: GitSource): string | undefined {
  const state = grantState(spec.grant, deps.clock.now(), deps.options.grantWarningMs);
  return state === 'valid' ? undefined : spec.grant.expiresAt.slice(0, 10);
}

function standing(release: Release, by: string | undefined, ends: string | undefined): Standing {
  const { state, code, message, at, lost } = release.status;
  const { revision } = release.spec;
  if (state === 'succeeded') return { kind: 'released', revision, ...(ends === undefined ? {} : { grantEnds: ends }) };
  if (state === 'superseded') return { kind: 'superseded', by: by ?? `revision ${revision + 1}` };
  if (lost === true) return { kind: 'lost' };
  const reason = problem((code ?? 'rollout_failed') as Problem['code'], message, at === undefined ? {} : { at });
  if (state === 'cancelled')
    return reason.code === 'grant_refused' && (message ?? '').includes('source was removed')
      ? { kind: 'source_removed' }
      : { kind: 'cancelled' };
  const recovered = recoveredRevision(release);
  return { kind: 'failed', problem: reason, revision, ...(recovered === undefined ? {} : { recovered }) };
}

/** Deletes ended releases beyond the history limit; the last one that succeeded always stays. `releases` are newest first. */
export async function pruneHistory(session: Session, releases: readonly Release[]): Promise<Result<void>> {
  const lastGood = releases.find((release) => release.status.state === 'succeeded');
  const old = releases.filter(
    (release, index) => index >= LIMITS.releaseHistory && isEnded(release) && release !== lastGood,
  );
  for (const release of old) {
    const deleted = await session.deps.store.releases.delete(release.name, release.uid);
    if (!deleted.ok) return deleted;
  }
  const pruned = old.length > 0 ? await pruneImported(session) : ok(undefined);
  if (!pruned.ok) return pruned;
  const isBuilt = releases.some((release) => release.spec.builds !== undefined);
  return isBuilt
    ? pruneBuilds(
        session.deps,
        session.application,
        releases.filter((release) => !old.includes(release)),
      )
    : ok(undefined);
}

/** The secrets of env files go with the last release that refers to them. A release that can not be read keeps them all. */
async function pruneImported(session: Session): Promise<Result<unknown>> {
  const { store, secrets } = session.deps;
  const releases = await store.releases.ofApplication(session.application);
  const application = await store.applications.get(session.application);
  if (!releases.ok) return releases;
  if (!application.ok || application.value === undefined) return application;
  const kept = new Set<string>();
  for (const { spec } of releases.value) {
    const desired = unpackSpec(spec.spec);
    if (!desired.ok) return ok(undefined);
    for (const name of requiredSecrets(desired.value)) kept.add(name);
  }
  const { project, environment, name } = application.value.spec;
  return secrets.pruneImported({ project, environment, name }, kept);
}
