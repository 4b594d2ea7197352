import { type CommitSha, fail, LIMITS, ok, problem, type Result } from '../../kernel/index.ts';
import {
  type ForgeRepository,
  type GitRepository,
  type GitSource,
  type PullRequest,
  type PullRequestPlan,
  pullRequestMentions,
  type Remote,
} from '../../ports/index.ts';
import type { Deps, Run } from '../context.ts';
import { reportOf, reportsOf } from '../ledger.ts';
import { splitMentions } from '../mentions.ts';
import { bringEnvironment, isEnvironmentDue, removeStrays } from '../preview-environment/index.ts';
import { forgeOf, remoteOf } from '../remote.ts';
import { standingKey } from './base-standing.ts';
import { closePlan, closeRetargeted, closeUnplanned } from './close.ts';
import { type Asked, forgetComments, obeyComments } from './commands.ts';
import { writeComment } from './comment.ts';
import { judge, refused, untouched, type Verdict } from './judge.ts';
import { lookAtRefs, touchedBy } from './look.ts';
import {
  isCompared,
  owesComment,
  planningSources,
  plansOfRepository,
  plansPullRequests,
  type RequestKey,
  reportJobs,
} from './plans.ts';
import { commentOf, type Finding, openPlan, record } from './record.ts';

/** Sources of one request that are commented on, and untouched ones without a plan that are told so; more would be noise at the forge. */
const COMMENTED = 20;
const UNTOUCHED_TOLD = 20;
const TRIES = 5;
const PAUSE_MS = 50;

/** One request as it is now, at the forge and at the Git server. */
type Now = {
  readonly repository: GitRepository;
  readonly forge: ForgeRepository;
  readonly remote: Remote;
  readonly request: PullRequest;
  readonly head: CommitSha;
  readonly hasHead: boolean;
  readonly baseCommit: CommitSha | undefined;
  /** Heads that deliveries mentioned long enough ago. */
  readonly mentions: readonly string[];
  /** A person asks for the plan once more. */
  readonly isAsked: boolean;
  /** The comments that do. */
  readonly asked: string;
  readonly signal: AbortSignal;
};

/**
 * Brings the plans of one pull request up to what it is now: the head's file is planned under the base's grant, with a status on the head
 * and one comment per source. The job carries no commit: the forge says whether the request is open, the Git server which commit is its
 * head. The plan itself builds, applies and runs nothing; where the source wants it, the request gets a preview environment. Cut off anywhere, the next run does the same again.
 */
export async function preview(deps: Deps, job: RequestKey, run: Run): Promise<Result<void>> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await previewOnce(deps, job, run);
    if (done.ok || done.problem.code !== 'conflict' || attempt === TRIES) return done;
    await deps.clock.sleep(PAUSE_MS, run.signal);
  }
}

async function previewOnce(deps: Deps, job: RequestKey, run: Run): Promise<Result<void>> {
  const plans = plansOfRepository(deps, job.repository).filter((plan) => plan.spec.number === job.number);
  const left = await closeUnwanted(deps, plans);
  if (!left.ok) return left;
  const strays = await removeStrays(deps, job);
  if (!strays.ok) return strays;
  const repository = deps.store.repositories.cached(job.repository);
  if (repository === undefined) return ok(undefined);
  const asked = await obeyComments(deps, job, repository);
  if (!asked.ok) return asked;
  const planned = await planAsked(deps, job, { repository, left: left.value, asked: asked.value, run });
  return planned.ok ? forgetComments(deps, job, asked.value.comments) : planned;
}

async function planAsked(
  deps: Deps,
  job: RequestKey,
  input: {
    readonly repository: GitRepository;
    readonly left: readonly PullRequestPlan[];
    readonly asked: Asked;
    readonly run: Run;
  },
): Promise<Result<void>> {
  const { repository, left, asked, run } = input;
  const mentioned = await deps.deliveries.mentioned(job.repository, pullRequestMentions(job.number));
  if (!mentioned.ok) return mentioned;
  const all = mentioned.value.map((mention) => mention.commit);
  if (left.length === 0 && planningSources(deps, job.repository).length === 0) return forget(deps, job, all);

  const forge = await forgeOf(repository, deps.credentials);
  if (!forge.ok) return forge;
  const request = await deps.pullRequests.read(forge.value, job.number);
  if (!request.ok) return request;
  if (request.value === undefined || request.value.state === 'closed') {
    const closed = await closeRequest(deps, {
      forge: forge.value,
      request: request.value,
      plans: left,
      mentions: all,
      repository,
    });
    return closed.ok ? forget(deps, job, all) : closed;
  }

  const remote = await remoteOf(repository, deps);
  if (!remote.ok) return remote;
  const look = await lookAtRefs(deps, remote.value, { request: request.value, signal: run.signal });
  if (!look.ok) return look;
  const settling = fail(problem('ref_settling', undefined, { afterMs: deps.options.mentionGraceMs }));
  if (look.value.head === undefined && look.value.isSettling) return settling;
  const forgeHead = request.value.head;
  const head = look.value.head ?? forgeHead;
  const { ripe, young } = splitMentions(deps, mentioned.value, head);
  // What the forge itself calls the head is not passed, however late the Git server shows it.
  const mentions = ripe.map((mention) => mention.commit).filter((commit) => commit === head || commit !== forgeHead);
  const isAsked = asked.plan.some((commit) => head.startsWith(commit));
  const planned = await planRequest(
    deps,
    {
      repository,
      forge: forge.value,
      remote: remote.value,
      request: request.value,
      head,
      hasHead: look.value.head !== undefined,
      baseCommit: look.value.baseCommit,
      mentions,
      isAsked,
      asked: isAsked ? asked.comments.join() : '',
      signal: run.signal,
    },
    left,
  );
  if (!planned.ok) return planned;
  const forgotten = await forget(deps, job, mentions);
  if (!forgotten.ok) return forgotten;
  return young.length > 0 || look.value.isSettling ? settling : ok(undefined);
}

/** Closes the plans of sources that were removed or want none any more; needs no forge. Answers the others. */
async function closeUnwanted(
  deps: Deps,
  plans: readonly PullRequestPlan[],
): Promise<Result<readonly PullRequestPlan[]>> {
  const wanted: PullRequestPlan[] = [];
  for (const plan of plans) {
    const cached = deps.store.sources.cached(plan.spec.source);
    const source = cached === undefined ? await deps.store.sources.get(plan.spec.source) : ok(cached);
    if (!source.ok) return source;
    if (source.value !== undefined && plansPullRequests(source.value)) {
      wanted.push(plan);
      continue;
    }
    const closed = await closePlan(deps, plan);
    if (!closed.ok) return closed;
  }
  return ok(wanted);
}

async function closeRequest(
  deps: Deps,
  input: {
    readonly repository: GitRepository;
    readonly forge: ForgeRepository;
    readonly request: PullRequest | undefined;
    readonly plans: readonly PullRequestPlan[];
    readonly mentions: readonly string[];
  },
): Promise<Result<void>> {
  const { repository, request, mentions } = input;
  for (const plan of input.plans) {
    const closed = await closePlan(deps, plan, mentions);
    if (!closed.ok) return closed;
  }
  if (request === undefined || mentions.length === 0) return ok(undefined);
  const known = new Set(input.plans.map((plan) => plan.spec.source));
  const sources = boundTo(deps, repository, request).filter((source) => !known.has(source.name));
  return closeUnplanned(deps, { forge: input.forge, request, sources, mentions });
}

/** The sources a request is about: bound to the branch it wants to be merged into, and planning requests. */
function boundTo(deps: Deps, repository: GitRepository, request: PullRequest): readonly GitSource[] {
  return deps.store
    .sourcesOf(repository.name, request.base)
    .filter((source) => plansPullRequests(source) && source.spec.suspended !== true);
}

async function planRequest(deps: Deps, now: Now, plans: readonly PullRequestPlan[]): Promise<Result<void>> {
  const sources = boundTo(deps, now.repository, now.request);
  for (const plan of plans) {
    // Of another base by now. A suspended source's plan stays as it is.
    const isElsewhere = plan.status.base !== undefined && plan.status.base.ref !== now.request.base;
    const closed =
      isElsewhere && !sources.some((source) => source.name === plan.spec.source)
        ? await closeRetargeted(deps, now.forge, { plan, mentions: now.mentions })
        : ok(undefined);
    if (!closed.ok) return closed;
  }
  const touched = now.hasHead
    ? await touchedBy(deps, now.remote, {
        base: now.request.mergeBase ?? now.baseCommit,
        head: now.head,
        sources,
        signal: now.signal,
      })
    : ok(sources.slice(0, COMMENTED));
  if (!touched.ok) return touched;
  const rest = sources.filter((source) => !touched.value.includes(source));
  const known = new Set(plans.map((plan) => plan.spec.source));
  // What has a plan is kept true. The others are told so that checks a forge requires can pass, but no arbitrary few of many.
  const recorded = rest.filter((source) => known.has(source.name));
  const isTold = touched.value.length === 0 || rest.length <= UNTOUCHED_TOLD;
  const others = isTold ? rest.filter((source) => !known.has(source.name)) : [];
  const told = [...recorded, ...others.slice(0, Math.max(0, UNTOUCHED_TOLD - recorded.length))];
  for (const [index, source] of touched.value.entries()) {
    const done = await planSource(deps, now, { source, isTouched: true, mayComment: index < COMMENTED });
    if (!done.ok) return done;
  }
  for (const source of told) {
    const done = await planSource(deps, now, { source, isTouched: false, mayComment: false });
    if (!done.ok) return done;
  }
  return ok(undefined);
}

type Turn = { readonly source: GitSource; readonly isTouched: boolean; readonly mayComment: boolean };

async function planSource(deps: Deps, now: Now, turn: Turn): Promise<Result<void>> {
  if (now.signal.aborted) return fail(problem('worker_stopping'));
  const { source } = turn;
  const opened = await openPlan(deps, source, now.request.number);
  if (!opened.ok) return opened;
  const plan = opened.value;
  if (plan === undefined) return ok(undefined);
  // Read before the verdict: what changes meanwhile plans again.
  const standing = standingKey(deps, source, now.request.fork);
  const isLimited = turn.isTouched && countOpen(deps, plan) >= LIMITS.openPlans;
  const isSame = isSettled(plan, now, { ...turn, isLimited, standing }) && !isEnvironmentDue(deps, plan, source);
  if (isSame) return queueReports(deps, plan);

  const verdict = isLimited ? ok(limited(source)) : await verdictOn(deps, now, turn);
  if (!verdict.ok) return verdict;
  const brought = await bringEnvironment(deps, {
    ...{ source, plan, request: now.request, head: now.head, asked: now.asked, run: { signal: now.signal } },
    desired: verdict.value.desired,
  });
  if (!brought.ok && brought.problem.code === 'conflict') return brought;
  const finding: Finding = {
    source,
    request: now.request,
    head: now.head,
    baseCommit: now.baseCommit,
    mentions: now.mentions,
    verdict: verdict.value,
    // What keeps the environment from being looked at is no reason to keep the plan from people.
    environment: brought.ok ? brought.value.environment : plan.status.environment,
    standing,
    mayComment: turn.mayComment,
  };
  const recorded = await record(deps, plan, finding);
  if (!recorded.ok) return recorded;
  deps.log.info('planned a pull request', {
    plan: plan.name,
    commit: now.head,
    outcome: verdict.value.outcome,
    code: verdict.value.code,
  });
  const queued = await queueReports(deps, recorded.value);
  if (!queued.ok) return queued;
  const finished = brought.ok ? await brought.value.finish() : brought;
  const body = commentOf(deps, plan, finding);
  const told =
    body === undefined ? ok(undefined) : await writeComment(deps, { forge: now.forge, plan: recorded.value, body });
  return told.ok ? finished : told;
}

function verdictOn(deps: Deps, now: Now, { source, isTouched }: Turn): Promise<Result<Verdict>> {
  if (!now.hasHead) return Promise.resolve(ok(refused(source, [problem('ref_not_found')])));
  if (!isTouched) return Promise.resolve(ok(untouched(source)));
  const { remote, head, request, signal } = now;
  const { base, mergeBase, fork } = request;
  return judge(deps, { source, remote, head, base, baseCommit: now.baseCommit, mergeBase, fork, signal });
}

type Settling = Turn & { readonly isLimited: boolean; readonly standing: string };

/** True when this head was planned under what holds now, and everybody was told or is about to be. */
function isSettled(plan: PullRequestPlan, now: Now, turn: Settling): boolean {
  const { status } = plan;
  return (
    !now.isAsked &&
    status.closed !== true &&
    status.head === now.head &&
    status.base?.ref === now.request.base &&
    status.headRef === now.request.ref &&
    status.fork === now.request.fork &&
    (status.draft ?? false) === now.request.draft &&
    status.sourceGeneration === turn.source.generation &&
    status.outcome !== undefined &&
    (status.outcome === 'untouched') === !turn.isTouched &&
    (status.outcome === 'limited') === turn.isLimited &&
    (!isCompared(plan) || status.standing === turn.standing) &&
    !owesComment(plan) &&
    now.mentions.every((commit) => reportOf(plan, commit) !== undefined) &&
    reportsOf(plan).length > 0
  );
}

/** Plans of the repository that take a place under the limit, without this one. */
function countOpen(deps: Deps, plan: PullRequestPlan): number {
  return plansOfRepository(deps, plan.spec.repository).filter(
    ({ name, status }) =>
      name !== plan.name &&
      status.closed !== true &&
      (status.outcome === 'planned' || status.outcome === 'unchanged' || status.outcome === 'refused'),
  ).length;
}

function limited(source: GitSource): Verdict {
  return { ...refused(source, [problem('too_many_plans')]), outcome: 'limited' };
}

function queueReports(deps: Deps, plan: PullRequestPlan): Promise<Result<void>> {
  const jobs = reportJobs(plan);
  return jobs.length === 0 ? Promise.resolve(ok(undefined)) : deps.jobs.addAll(jobs);
}

function forget(deps: Deps, job: RequestKey, commits: readonly string[]): Promise<Result<void>> {
  return deps.deliveries.forget(job.repository, pullRequestMentions(job.number), commits);
}
