import {
  commitSha,
  fail,
  isTagPattern,
  ok,
  problem,
  type RepoPath,
  type Result,
  repoPath,
  tagMatch,
} from '../kernel/index.ts';
import type { GitRepository, GitSource, Job, Remote } from '../ports/index.ts';
import { type Deps, type Run, storedPath, storedRef } from './context.ts';
import { isOwed, reportsOf } from './ledger.ts';
import { isStepBack, marked, type RefNow } from './mark-source.ts';
import { type Mention, splitMentions } from './mentions.ts';
import { needsPlan, wantsFreshLook } from './plan-need.ts';
import { headOf } from './ref-head.ts';
import { remoteOf } from './remote.ts';
import { markReadable, markUnreadable } from './source-condition.ts';

/** Sources of one ref that hear of a commit touching none of them; more would be noise at the forge. */
const UNTOUCHED_SOURCES_TOLD = 20;

/** Tries against a cache that lags behind our own writes, and the pause between them. */
const TRIES = 5;
const PAUSE_MS = 50;

/**
 * Brings the sources of one ref up to the commit it points to now. The job carries no commit: a delivery is a hint, and what counts
 * is what the Git server says. Steps: resolve, find the sources that the new commit touches, mark them (durable), queue their plans,
 * and only then remember the ref's commit and forget the mentions; cut off anywhere, the next run does the same again.
 */
export async function sync(
  deps: Deps,
  job: { readonly repository: string; readonly ref: string },
  run: Run,
): Promise<Result<void>> {
  for (let attempt = 1; ; attempt += 1) {
    const done = await syncOnce(deps, job, run);
    if (done.ok || done.problem.code !== 'conflict' || attempt === TRIES) return done;
    await deps.clock.sleep(PAUSE_MS, run.signal);
  }
}

async function syncOnce(
  deps: Deps,
  job: { readonly repository: string; readonly ref: string },
  run: Run,
): Promise<Result<void>> {
  const repository = deps.store.repositories.cached(job.repository);
  if (repository === undefined) return ok(undefined);
  // Sources that follow a pattern hear of the tags it matches; what deliveries mention is forgotten with the last.
  const bound = deps.store
    .repositoryRefs(repository.name)
    .filter((one) => one === job.ref || (isTagPattern(one) && tagMatch(one, job.ref) !== undefined));
  const last = bound.at(-1);
  // A branch that no source is bound to is not asked for: most pushes are to such branches.
  if (last === undefined) return forgetAll(deps, job);
  for (const one of bound.slice(0, -1)) {
    const done = await syncBound(deps, { repository, bound: one, mentioned: job.ref, isLast: false }, run);
    if (!done.ok) return done;
  }
  return syncBound(deps, { repository, bound: last, mentioned: job.ref, isLast: true }, run);
}

async function forgetAll(
  deps: Deps,
  job: { readonly repository: string; readonly ref: string },
): Promise<Result<void>> {
  const mentions = await deps.deliveries.mentioned(job.repository, job.ref);
  if (!mentions.ok) return mentions;
  const commits = mentions.value.map((mention) => mention.commit);
  return deps.deliveries.forget(job.repository, job.ref, commits);
}

/** Brings the sources bound to one ref, or to one pattern of tags, up to it. */
async function syncBound(
  deps: Deps,
  turn: {
    readonly repository: GitRepository;
    readonly bound: string;
    /** The ref whose mentions are meant. */
    readonly mentioned: string;
    readonly isLast: boolean;
  },
  run: Run,
): Promise<Result<void>> {
  const { repository } = turn;
  const ref = storedRef(turn.bound);
  const sources = deps.store.sourcesOf(repository.name, ref).filter((s) => !s.deleting && s.spec.suspended !== true);

  const mentions = await deps.deliveries.mentioned(repository.name, turn.mentioned);
  if (!mentions.ok) return mentions;
  const remote = await remoteOf(repository, deps);
  const listed = remote.ok ? await deps.git.listRefs(remote.value, [ref], run.signal) : remote;
  if (!remote.ok || !listed.ok) return cannotRead(deps, sources, listed);

  const known = repository.status.refs?.find((entry) => entry.name === ref)?.commit;
  const found = headOf(listed.value, ref);
  const tag = found?.ref === ref ? undefined : found?.ref;
  const now: RefNow = { ref, head: found?.commit, tag, known, listed: listed.value };
  const touched = await touchedSources(deps, { remote: remote.value, now, sources, signal: run.signal });
  if (!touched.ok) return touched;

  const { ripe, young } = splitMentions(deps, mentions.value, listed.value.get(storedRef(turn.mentioned)) ?? now.head);
  const marked = await markSources(deps, { now, sources, touched: touched.value, mentions: ripe });
  if (!marked.ok) return marked;
  const queued = await deps.jobs.addAll(marked.value);
  if (!queued.ok) return queued;
  const recovered = now.head === undefined ? ok(undefined) : await markReadable(deps, sources);
  if (!recovered.ok) return recovered;
  const remembered = await rememberRef(deps, repository, { now, deliveredAt: newest(mentions.value) });
  if (!remembered.ok) return remembered;
  if (!turn.isLast) return ok(undefined);
  const forgotten = await deps.deliveries.forget(
    repository.name,
    turn.mentioned,
    ripe.map((mention) => mention.commit),
  );
  if (!forgotten.ok) return forgotten;
  return young.length === 0
    ? ok(undefined)
    : fail(problem('ref_settling', undefined, { afterMs: deps.options.mentionGraceMs }));
}

/** What only a person can mend is said on the sources; the rest is tried again. */
async function cannotRead<T>(deps: Deps, sources: readonly GitSource[], failed: Result<T>): Promise<Result<never>> {
  const p = failed.ok ? problem('git_unavailable') : failed.problem;
  if (p.kind !== 'rejected') return fail(p);
  const marked = await markUnreadable(deps, sources, p);
  return marked.ok ? fail(p) : marked;
}

/**
 * Sources to plan: those whose file, or something they build from, differs between the known commit and the head, by Git's own trees and
 * never by a payload. What can not be compared counts as touched; so does a source that never planned anything, or whose plan is still
 * to come: only that plan knows what the commit before this one builds from.
 */
async function touchedSources(
  deps: Deps,
  input: {
    readonly remote: Remote;
    readonly now: RefNow;
    readonly sources: readonly GitSource[];
    readonly signal: AbortSignal;
  },
): Promise<Result<readonly GitSource[]>> {
  const { now, sources } = input;
  const { head } = now;
  if (head === undefined) return ok([]);
  const waiting = sources.filter(wantsFreshLook);
  if (now.known === head) return ok(waiting);
  const base = commitSha(now.known ?? '');
  const followed = sources.filter((source) => !isStepBack(source, now));
  if (!base.ok) return ok(followed);
  const paths = new Map<string, RepoPath>();
  for (const text of followed.flatMap(pathsOf)) {
    const path = repoPath(text);
    if (path.ok) paths.set(text, path.value);
  }
  const changed = await deps.git.changedPaths({
    remote: input.remote,
    base: base.value,
    head,
    paths: [...paths.values()],
    signal: input.signal,
  });
  if (!changed.ok) return changed;
  const set = changed.value;
  if (set === undefined) return ok(followed);
  const isTouched = (path: string): boolean => path === '.' || set.has(storedPath(path));
  const isDue = (source: GitSource): boolean =>
    wantsFreshLook(source) || needsPlan(source) || wasSkipped(source) || pathsOf(source).some(isTouched);
  return ok(followed.filter(isDue));
}

/** What a commit changed that asked not to be deployed comes with the next one, whatever that touches. */
function wasSkipped({ status }: GitSource): boolean {
  return status.planned?.outcome === 'skipped';
}

/**
 * The file, the env files it names, and the contexts and Dockerfiles it builds from; `.` is the whole repository, which every commit
 * changes.
 */
function pathsOf({ spec, status }: GitSource): readonly string[] {
  return [spec.path, ...(status.envFiles ?? []), ...(status.watched ?? [])];
}

/** Writes what each source must know, and answers the jobs that follow from it. */
async function markSources(
  deps: Deps,
  input: {
    readonly now: RefNow;
    readonly sources: readonly GitSource[];
    readonly touched: readonly GitSource[];
    readonly mentions: readonly Mention[];
  },
): Promise<Result<readonly Job[]>> {
  const { now, touched } = input;
  const isNews = now.head !== now.known || input.mentions.length > 0;
  const untouched =
    now.head === undefined ? input.sources : isNews ? input.sources.slice(0, UNTOUCHED_SOURCES_TOLD) : [];
  const told = touched.length > 0 ? touched : untouched;
  const jobs: Job[] = [];
  for (const source of told) {
    const isTouched = touched.includes(source);
    // A source that moved since we asked the Git server may already be further than our answer.
    let moved = false;
    const written = await deps.store.sources.updateStatus(source.name, (current) => {
      moved = current.status.seen?.commit !== source.status.seen?.commit;
      return moved ? undefined : marked(deps, current, { now, isTouched, mentions: input.mentions });
    });
    if (moved) return fail(problem('conflict'));
    if (!written.ok) {
      if (written.problem.code === 'not_found') continue;
      return written;
    }
    if (isTouched) jobs.push({ queue: 'plan', source: source.name });
    for (const report of reportsOf(written.value)) {
      if (isOwed(report)) jobs.push({ queue: 'report', source: source.name, commit: report.commit });
    }
  }
  return ok(jobs);
}

/** How exactly `lastDeliveryAt` is kept; a burst of deliveries is not a burst of writes. */
const DELIVERY_STEP_MS = 60_000;

function newest(mentions: readonly Mention[]): string | undefined {
  return mentions
    .map(({ at }) => at)
    .sort()
    .at(-1);
}

/** Remembers the commit all sources were brought up to, and when. */
async function rememberRef(
  deps: Deps,
  repository: GitRepository,
  { now, deliveredAt }: { readonly now: RefNow; readonly deliveredAt: string | undefined },
): Promise<Result<unknown>> {
  const commit = now.head ?? '';
  const known = repository.status.lastDeliveryAt;
  const isOld =
    deliveredAt !== undefined &&
    (known === undefined || Date.parse(deliveredAt) - Date.parse(known) > DELIVERY_STEP_MS);
  if (now.known === commit && !isOld) return ok(undefined);
  const bound = new Set(deps.store.repositoryRefs(repository.name));
  if (!bound.has(now.ref)) return ok(undefined);
  let moved = false;
  const written = await deps.store.repositories.updateStatus(repository.name, (current) => {
    const refs = current.status.refs ?? [];
    moved = refs.find((entry) => entry.name === now.ref)?.commit !== now.known;
    if (moved) return undefined;
    const syncedAt = deps.clock.now().toISOString();
    return {
      ...current.status,
      lastDeliveryAt: deliveredAt ?? current.status.lastDeliveryAt,
      refs: [
        ...refs.filter((entry) => entry.name !== now.ref && bound.has(entry.name)),
        { name: now.ref, commit, syncedAt },
      ],
    };
  });
  return moved ? fail(problem('conflict')) : written;
}
