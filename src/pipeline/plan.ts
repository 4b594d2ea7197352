import { watchedPaths } from '../build/index.ts';
import { evaluateGrant } from '../grant/index.ts';
import {
  type CommitSha,
  commitSha,
  describe,
  digestOf,
  fail,
  LIMITS,
  ok,
  type Problem,
  problem,
  type RefName,
  type Result,
  releaseName,
} from '../kernel/index.ts';
import { planRelease } from '../plan/index.ts';
import type { Application as ApplicationResource, GitSource, Job, Release, Remote } from '../ports/index.ts';
import { REQUESTED_AT } from '../ports/index.ts';
import { withPosition } from '../spec/index.ts';
import { deployContext, describeOutcome, readyCondition, type Standing } from '../status/index.ts';
import { auditPush } from './audit-push.ts';
import { checkGrantOwner } from './authority.ts';
import { closeSource } from './close-source.ts';
import { type Deps, type Run, storedPath, storedRef } from './context.ts';
import { reserveDomains } from './endpoints/index.ts';
import { grantWarning } from './grant-expiry.ts';
import { holdOf } from './hold.ts';
import { installationRefusals } from './installation-refusals.ts';
import { keptPatches } from './kept-patches.ts';
import { isFinal, reportOf, reportsOf, withEntry, withReport } from './ledger.ts';
import { acceptedBuilds, buildsUnchanged, jobsAfterAcceptance } from './plan-builds.ts';
import { needsPlan, wantsFreshLook } from './plan-need.ts';
import { endWait } from './policy/end-wait.ts';
import { gate } from './policy/gate.ts';
import { isSkipped } from './policy/skip.ts';
import { isWaitOver, type Waiting, waitingOf, waitingStanding } from './policy/waiting.ts';
import { preflightOf } from './preflight.ts';
import { packSpec, unpackSpec } from './release-body.ts';
import { remoteOf } from './remote.ts';
import { readSpecAt, type SpecAtCommit, secretsToHave, type ValidSpec, withEnvFiles } from './spec-at-commit.ts';

/** How often an acceptance starts over when something else accepts or changes the source first. */
const TRIES = 5;

/** What the plan came to; recorded on the source in one write. */
type Verdict = (
  | { readonly kind: 'accepted'; readonly revision: number }
  | { readonly kind: 'unchanged'; readonly revision: number }
  /** A release people asked for stands until a new commit comes or the source is resumed. */
  | { readonly kind: 'held'; readonly revision: number }
  /** The deploy policy keeps the plan from being released yet. */
  | { readonly kind: 'waiting'; readonly waiting: Waiting }
  /** The commit's message asks for it. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }
) & {
  /** The paths besides the file whose change is to be planned; absent when the file could not be read. */
  readonly watched?: readonly string[];
  /** The same for the env files that the file names. */
  readonly envFiles?: readonly string[];
};

/** The source as read, and the commit it wants. */
type Wanted = {
  readonly source: GitSource;
  readonly commit: CommitSha;
  readonly trigger: string;
  /** `undefined` when somebody deleted it; then there is nothing to release to. */
  readonly application: ApplicationResource | undefined;
  /** Newest first. */
  readonly releases: readonly Release[];
};

/**
 * Plans the commit a source wants now and, when the grant and the rules allow it, accepts a release. Refused means that nothing but
 * the source's own record was written. Creating the release is the acceptance: its name is the revision, so two can not both win.
 */
export async function plan(deps: Deps, job: { readonly source: string }, run: Run): Promise<Result<void>> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await planOnce(deps, job.source, run);
    if (done.ok || done.problem.code !== 'conflict' || attempt === TRIES) return done;
  }
}

async function planOnce(deps: Deps, name: string, run: Run): Promise<Result<void>> {
  const read = await deps.store.sources.get(name);
  if (!read.ok) return read;
  const source = read.value;
  if (source === undefined) return ok(undefined);
  if (source.deleting) return closeSource(deps, source);
  if (source.spec.suspended === true) return endWait(deps, source);
  if (wantsFreshLook(source))
    return deps.jobs.add({ queue: 'sync', repository: source.spec.repository, ref: source.spec.ref });
  if (!needsPlan(source) && !isWaitOver(source, deps.clock.now())) return ok(undefined);

  const wanted = await loadWanted(deps, source);
  if (!wanted.ok) return wanted;
  const verdict = await judge(deps, wanted.value, run);
  if (!verdict.ok) return verdict;
  return record(deps, wanted.value, verdict.value);
}

async function loadWanted(deps: Deps, source: GitSource): Promise<Result<Wanted>> {
  const commit = commitSha(source.status.seen?.commit ?? '');
  if (!commit.ok) return commit;
  const application = await deps.store.applications.get(source.name);
  if (!application.ok) return application;
  const releases = await deps.store.releases.ofApplication(source.name);
  if (!releases.ok) return releases;
  const trigger = digestOf([source.uid, commit.value, source.generation, source.annotations[REQUESTED_AT] ?? '']);
  return ok({ source, commit: commit.value, trigger, application: application.value, releases: releases.value });
}

/** Reads, checks and plans; accepts when all agree. A failure is only what another try may mend; refusals are a verdict. */
async function judge(deps: Deps, wanted: Wanted, run: Run): Promise<Result<Verdict>> {
  // A run that was cut off after its acceptance finds its own release here.
  const own = wanted.releases.find(
    ({ spec }) => spec.origin.kind === 'git' && spec.origin.source === wanted.source.name,
  );
  if (own?.spec.origin.trigger === wanted.trigger) {
    const accepted = unpackSpec(own.spec.spec);
    const watched = accepted.ok ? { watched: watchedPaths(accepted.value) } : {};
    return ok({ kind: 'accepted', revision: own.spec.revision, ...watched });
  }
  const holding = holdOf(wanted.source, wanted.releases[0]);
  if (holding !== undefined) return ok({ kind: 'held', revision: holding.spec.revision });

  const remote = await sourceRemote(deps, wanted.source);
  if (!remote.ok) return remote;
  const skipped = await isSkipped(deps, { ...wanted, remote: remote.value }, run);
  if (!skipped.ok) return verdictOf(skipped.problem);
  if (skipped.value) return ok({ kind: 'skipped' });
  const { source, commit } = wanted;
  const desired = await readSpecAt(deps, { source, remote: remote.value, commit, fork: false, signal: run.signal });
  if (!desired.ok) return verdictOf(desired.problem);
  const { parsed, envFiles } = desired.value;
  if (!parsed.ok) {
    const [first = problem('invalid_spec'), ...others] = parsed.problems;
    return ok({ kind: 'refused', problems: [first, ...others], envFiles });
  }
  const verdict = await judgeSpec(deps, wanted, { ...desired.value, parsed, run });
  return verdict.ok ? ok({ ...verdict.value, watched: watchedPaths(parsed.application), envFiles }) : verdict;
}

/** The specification that may be released, as read. */
type Desired = SpecAtCommit & { readonly parsed: ValidSpec };

async function judgeSpec(
  deps: Deps,
  wanted: Wanted,
  desired: Desired & { readonly run: Run },
): Promise<Result<Verdict>> {
  const { source, commit, releases } = wanted;
  const [latest] = releases;
  const { parsed, text, run } = desired;
  const { application } = parsed;
  const previous = latest === undefined ? ok(undefined) : unpackSpec(latest.spec.spec);
  if (!previous.ok) return previous;
  const kept = keptPatches(releases);
  if (!kept.ok) return kept;
  const { project, environment, name } = source.spec.application;
  const key = { project, environment, name };
  const owned = checkGrantOwner(deps, source.spec.grant, key);
  if (!owned.ok) return ok({ kind: 'refused', problems: [owned.problem] });
  const granted = evaluateGrant({
    grant: source.spec.grant,
    request: {
      ref: refOf(source),
      path: storedPath(source.spec.path),
      application: key,
      now: deps.clock.now(),
      trigger: 'push',
      fork: false,
    },
    application,
    previous: kept.value,
  });
  if (!granted.ok) return ok({ kind: 'refused', problems: [withPosition(granted.problem, text)] });

  const missing = await deps.secrets.missing(key, secretsToHave(parsed));
  if (!missing.ok) return verdictOf(missing.problem);
  const id = wanted.application?.spec.id;
  const installation = await installationRefusals(deps, { key, id, application });
  if (!installation.ok) return verdictOf(installation.problem);
  const planned = planRelease({ granted: granted.value, previous: previous.value, missingSecrets: missing.value });
  const [first, ...others] = inFileOrder([...planned.refusals, ...installation.value], text);
  if (first !== undefined) return ok({ kind: 'refused', problems: [first, ...others] });
  if (planned.unchanged && latest !== undefined && latest.status.state === 'succeeded') {
    const same = await buildsUnchanged(deps, { source, application, release: latest, commit }, run);
    if (!same.ok) return same;
    if (same.value) return ok({ kind: 'unchanged', revision: latest.spec.revision });
  }
  const room = await preflightOf(deps, { application, id, signal: run.signal });
  if (!room.ok) return verdictOf(room.problem);
  const [blocked, ...more] = inFileOrder(room.value.problems, text);
  if (blocked !== undefined) return ok({ kind: 'refused', problems: [blocked, ...more] });
  const gated = await gate(deps, { source, commit, application, latest });
  if (!gated.ok) return verdictOf(gated.problem);
  const { verdict, plan } = gated.value;
  if (verdict.kind === 'refuse') return ok({ kind: 'refused', problems: [verdict.problem] });
  return verdict.kind === 'go'
    ? accept(deps, wanted, desired)
    : ok({ kind: 'waiting', waiting: waitingOf(source, { plan, wait: verdict, now: deps.clock.now() }) });
}

async function sourceRemote(deps: Deps, source: GitSource): Promise<Result<Remote>> {
  const repository = deps.store.repositories.cached(source.spec.repository);
  if (repository === undefined)
    return fail(problem('cluster_unavailable', 'the repository of this source is not in the cache yet'));
  return remoteOf(repository, deps);
}

/** Refusals as the file has them from top to bottom; first what is about none of its lines. */
export function inFileOrder(refusals: readonly Problem[], text: string): readonly Problem[] {
  return refusals
    .map((refusal) => withPosition(refusal, text))
    .sort((a, b) => placeOf(a, 'line') - placeOf(b, 'line') || placeOf(a, 'column') - placeOf(b, 'column'));
}

function placeOf({ position }: Problem, axis: 'line' | 'column'): number {
  return position?.[axis] ?? 0;
}

/** The ref whose commit is planned: the bound one, or the tag that a pattern found. */
function refOf({ spec, status }: GitSource): RefName {
  return storedRef(status.seen?.ref ?? spec.ref);
}

/** A rejection is a verdict; anything else is worth another try. */
function verdictOf(p: Problem): Result<Verdict> {
  return p.kind === 'rejected' ? ok({ kind: 'refused', problems: [p] }) : fail(p);
}

async function accept(deps: Deps, wanted: Wanted, { parsed, envFiles }: Desired): Promise<Result<Verdict>> {
  const { source, application, releases, commit } = wanted;
  const desired = parsed.application;
  if (application === undefined)
    return verdictOf(problem('not_found', 'the application of this source does not exist; remove and add the source'));
  const waiting = releases.filter(
    (release) => release.status.state === undefined || release.status.state === 'queued',
  ).length;
  if (waiting >= LIMITS.pendingReleases) return fail(problem('queue_full', undefined, { afterMs: 5000 }));
  // Last look before the only write that counts: a newer commit, another grant or a removal makes this plan stale (invariant 10).
  let stale = false;
  const again = await deps.store.sources.updateStatus(source.name, (current) => {
    stale = current.deleting || current.generation !== source.generation || current.status.seen?.commit !== commit;
    // Forgotten until the release is on record, so that a run cut off in between plans whatever the ref shows then. Such a run could not
    // tell which env files the release was read with.
    const next = { ...withEnvFiles(current.status, envFiles), planned: forgotten(current.status.planned) };
    const isSame = next.planned === current.status.planned && next.envFiles === current.status.envFiles;
    return stale || isSame ? undefined : next;
  });
  if (!again.ok) return again.problem.code === 'not_found' ? fail(problem('conflict')) : again;
  if (stale) return fail(problem('conflict'));
  const { project, environment, name } = source.spec.application;
  const imported = await deps.secrets.addImported({ project, environment, name }, parsed.imported);
  if (!imported.ok) return verdictOf(imported.problem);

  const revision = Math.max(releases[0]?.spec.revision ?? 0, application.status.acceptedRevision ?? 0) + 1;
  const reserved = await reserveDomains(deps, { application, revision, desired });
  if (!reserved.ok) return verdictOf(reserved.problem);
  const created = await deps.store.releases.create({
    name: releaseName(application.name, revision),
    spec: {
      application: application.name,
      applicationId: application.spec.id,
      revision,
      specDigest: digestOf(desired),
      spec: packSpec(desired),
      origin: {
        kind: 'git',
        actor: source.spec.grant.owner,
        source: source.name,
        ref: refOf(source),
        commit,
        grantRevision: source.spec.grant.revision,
        trigger: wanted.trigger,
      },
      ...acceptedBuilds(deps, desired, { key: source.spec.application, commit }),
    },
  });
  if (!created.ok) return created.problem.code === 'already_exists' ? fail(problem('conflict')) : created;
  await auditPush(deps, source, { release: created.value, before: releases[0] });
  return ok({ kind: 'accepted', revision });
}

/** No plan; but that a person asked for a skipped commit is known by the request its plan answered (`isSkipped`). */
function forgotten(planned: GitSource['status']['planned']): GitSource['status']['planned'] {
  if (planned?.outcome !== 'skipped') return undefined;
  return planned.generation === undefined ? planned : { ...planned, generation: undefined };
}

/** Writes the verdict on the source (and the accepted revision on the application), then queues what follows. */
async function record(deps: Deps, wanted: Wanted, verdict: Verdict): Promise<Result<void>> {
  const { source, commit } = wanted;
  const at = deps.clock.now();
  if (verdict.kind === 'accepted') {
    const written = await deps.store.applications.updateStatus(source.name, (current) =>
      (current.status.acceptedRevision ?? 0) >= verdict.revision
        ? undefined
        : {
            ...current.status,
            acceptedRevision: verdict.revision,
            gitRevision: verdict.revision,
            phase: 'queued',
          },
    );
    if (!written.ok) return written;
  }
  const next =
    verdict.kind === 'accepted'
      ? await jobsAfterAcceptance(deps, source.name, verdict.revision)
      : ok<readonly Job[]>([]);
  if (!next.ok) return next;
  const [first] = verdict.kind === 'refused' ? verdict.problems : [];
  const settled = await deps.store.sources.updateStatus(source.name, (current) => ({
    ...(verdict.envFiles === undefined ? current.status : withEnvFiles(current.status, verdict.envFiles)),
    observedGeneration: source.generation,
    planned: {
      commit,
      grantRevision: source.spec.grant.revision,
      generation: source.generation,
      outcome: verdict.kind,
      ...(first === undefined ? {} : { code: first.code, message: first.message }),
      request: source.annotations[REQUESTED_AT],
      at: at.toISOString(),
    },
    waiting: verdict.kind === 'waiting' ? verdict.waiting : undefined,
    ...(verdict.watched === undefined ? {} : { watched: [...verdict.watched] }),
    reports: reportedBy(current, { commit, verdict, at }),
    conditions: [
      readyCondition(current.status.conditions, {
        status: first !== undefined ? 'False' : verdict.kind === 'waiting' ? 'Unknown' : 'True',
        reason: first?.code ?? verdict.kind,
        message: first === undefined ? standingMessage(verdict, commit) : describe(first),
        now: at,
        generation: source.generation,
      }),
      ...grantWarning(current.status.conditions),
    ],
  }));
  if (!settled.ok) return settled.problem.code === 'not_found' ? ok(undefined) : settled;
  deps.log.info('planned a commit', {
    source: source.name,
    commit,
    outcome: verdict.kind,
    code: first?.code,
    context: deployContext(source.spec.application),
  });
  const report = { queue: 'report', source: source.name, commit } as const;
  return deps.jobs.addAll([...next.value, report]);
}

/**
 * The ledger after this verdict. A release that already ended has had its last word there, and a commit that succeeded needs not hear
 * that it changes nothing now.
 */
function reportedBy(
  current: GitSource,
  input: { readonly commit: string; readonly verdict: Verdict; readonly at: Date },
): GitSource['status']['reports'] {
  const { commit, verdict, at } = input;
  const reports = reportsOf(current);
  const isReleased = verdict.kind === 'accepted' && current.status.released?.revision === verdict.revision;
  const entry = reportOf(current, commit);
  const isKnownGood =
    (verdict.kind === 'unchanged' || verdict.kind === 'skipped') &&
    entry?.desired.outcome === 'success' &&
    entry.undeliverable === undefined;
  // A held commit was told how it ended before somebody deployed something else; one that a newer commit passed over meanwhile, by that.
  const isPassed = current.status.seen?.commit !== commit;
  const isTold = (verdict.kind === 'held' || isPassed) && entry !== undefined && isFinal(entry);
  if (isReleased || isKnownGood || isTold) return [...reports];
  const told = withReport(reports, commit, describeOutcome(standingOf(verdict)), at);
  const isShown = verdict.kind === 'accepted' && current.spec.deployments === true;
  // Only what is released is a deployment; one that is there already ends with the commit, also when this is turned off.
  return isShown ? withEntry(told, commit, { deployment: { ...entry?.deployment, undeliverable: undefined } }) : told;
}

function standingMessage(verdict: Verdict, commit: string): string {
  if (verdict.kind === 'waiting') return describeOutcome(standingOf(verdict)).description;
  return verdict.kind === 'held'
    ? `revision ${verdict.revision} was deployed by hand and stays until a new commit or \`hakopod sources resume\``
    : `planned ${commit}`;
}

/** One pending status says it all: a release starts as soon as it is accepted, and each status is a call at the forge. */
function standingOf(verdict: Verdict): Standing {
  if (verdict.kind === 'held') return { kind: 'cancelled' };
  if (verdict.kind === 'waiting') return waitingStanding(verdict.waiting);
  return verdict.kind === 'accepted' ? { kind: 'deploying', revision: verdict.revision } : verdict;
}
