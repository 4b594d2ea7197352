import { buildFailure, builtImage, LogTail } from '../build/index.ts';
import { type CommitSha, fail, ok, type Problem, problem, type RepoPath, type Result } from '../kernel/index.ts';
import type { BuildRun, HeldLease } from '../ports/index.ts';
import { type BuildGuard, openBuildGuard } from './build-guard.ts';
import { isBuildEnded } from './builds.ts';
import type { Deps, Run } from './context.ts';
import { remoteOf } from './remote.ts';

/** Times a build may begin before it is given up: a worker may die of what it builds. */
const MAX_ATTEMPTS = 3;
/** How often the log on record is brought up to date, and how often it is written without news, as a sign of life. */
const LOG_EVERY_MS = 2000;
const HEARTBEAT_MS = 10_000;

/** Of one application's service there is one build at a time, whatever the commit; so leases stay as few as services. */
function leaseName({ spec }: BuildRun): string {
  return `build-${spec.applicationId}-${spec.service}`;
}

/**
 * Carries out one build: claims it, exports the context of its commit, lets the engine build and push, records the digest, and has the
 * release looked at. Cut off anywhere, the next run finds the build unfinished and begins it again, at most three times.
 */
export async function build(deps: Deps, job: { readonly build: string }, run: Run): Promise<Result<void>> {
  const read = await deps.store.builds.get(job.build);
  if (!read.ok) return read;
  if (read.value === undefined) return ok(undefined);
  if (isBuildEnded(read.value)) return follow(deps, read.value);
  const lease = await deps.leases.acquire(leaseName(read.value));
  if (!lease.ok) return lease;
  try {
    return await takeBuild(deps, { name: job.build, lease: lease.value, job: run });
  } finally {
    await lease.value.release();
  }
}

type Turn = { readonly name: string; readonly lease: HeldLease; readonly job: Run };

async function takeBuild(deps: Deps, turn: Turn): Promise<Result<void>> {
  const read = await deps.store.builds.get(turn.name);
  if (!read.ok) return read;
  if (read.value === undefined) return ok(undefined);
  if (isBuildEnded(read.value)) return follow(deps, read.value);
  const guard = openBuildGuard(deps, { run: read.value, lease: turn.lease, job: turn.job });
  try {
    const allowed = await guard.check();
    const refusal = guard.refusal();
    if (refusal !== undefined) return conclude(deps, turn, { state: 'cancelled', problem: refusal });
    if (!allowed.ok) return allowed;
    if ((read.value.status.attempts ?? 0) >= MAX_ATTEMPTS) {
      const lost = problem('build_failed', `it was begun ${MAX_ATTEMPTS} times and no worker came to its end`);
      return conclude(deps, turn, { state: 'failed', problem: buildFailure(read.value.spec.service, lost, []) });
    }
    return await attempt(deps, turn, guard);
  } finally {
    guard.stop();
  }
}

/** One try. What it came to is written in one place, here. */
async function attempt(deps: Deps, turn: Turn, guard: BuildGuard): Promise<Result<void>> {
  const begun = await begin(deps, turn);
  if (!begun.ok) return begun;
  const tail = new LogTail(deps.redact);
  const done = await carryBuild(deps, { run: begun.value, guard, tail, turn });
  tail.end();
  const log = tail.text();
  if (done.ok)
    return conclude(deps, turn, { state: 'succeeded', digest: done.value.digest, image: done.value.image, log });
  const refusal = guard.refusal();
  if (refusal !== undefined) return conclude(deps, turn, { state: 'cancelled', problem: refusal, log });
  if (turn.lease.signal.aborted) return fail(problem('lease_lost'));
  if (turn.job.signal.aborted) return putBack(deps, turn, { log, countsNot: true });
  const failure = buildFailure(begun.value.spec.service, done.problem, tail.lines);
  const isOver = failure.kind === 'rejected' || (begun.value.status.attempts ?? 0) >= MAX_ATTEMPTS;
  if (isOver) return conclude(deps, turn, { state: 'failed', problem: failure, log });
  deps.log.warn('a build will be tried again', { build: turn.name, code: failure.code, cause: done.problem.cause });
  const back = await putBack(deps, turn, { log, problem: failure });
  return back.ok || back.problem.code === 'worker_stopping' ? fail(failure) : back;
}

async function begin(deps: Deps, turn: Turn): Promise<Result<BuildRun>> {
  const now = deps.clock.now();
  return change(deps, turn, ({ status }) => ({
    state: 'running',
    release: status.release,
    attempts: (status.attempts ?? 0) + 1,
    startedAt: now.toISOString(),
    heartbeatAt: now.toISOString(),
    deadline: new Date(now.getTime() + deps.options.buildTimeoutMs).toISOString(),
  }));
}

type Carrying = { readonly run: BuildRun; readonly guard: BuildGuard; readonly tail: LogTail; readonly turn: Turn };

async function carryBuild(
  deps: Deps,
  carrying: Carrying,
): Promise<Result<{ readonly digest: string; readonly image: string }>> {
  const { run, guard, tail } = carrying;
  const space = await deps.builder.prepare();
  if (!space.ok) return space;
  const { contextDir, dispose } = space.value;
  const writing = new AbortController();
  const written = keepLog(deps, carrying, writing.signal);
  try {
    const exported = await exportContext(deps, carrying, contextDir);
    if (!exported.ok) return exported;
    tail.push(`context: ${exported.value.files} files, ${exported.value.bytes} bytes\n`);
    const request = await requestOf(deps, run);
    if (!request.ok) return request;
    const built = await deps.builder.build({
      ...request.value,
      contextDir,
      deadline: new Date(run.status.deadline ?? deps.clock.now()),
      signal: guard.signal,
      onLog: (text) => tail.push(text),
    });
    if (!built.ok) return built;
    const image = builtImage(run.spec.repository, built.value.digest);
    return image.ok ? ok({ digest: built.value.digest, image: image.value }) : image;
  } finally {
    writing.abort();
    await written;
    await dispose();
  }
}

async function exportContext(deps: Deps, { run, guard, tail }: Carrying, into: string) {
  const source = deps.store.sources.cached(run.spec.source);
  const repository = source === undefined ? undefined : deps.store.repositories.cached(source.spec.repository);
  if (repository === undefined)
    return fail(problem('cluster_unavailable', 'the repository of this build is not in the cache yet'));
  const remote = await remoteOf(repository, deps);
  if (!remote.ok) return remote;
  const exported = await deps.git.exportTree({
    remote: remote.value,
    commit: run.spec.commit as CommitSha,
    path: run.spec.build.context as RepoPath | '.',
    into,
    maxBytes: deps.options.buildContextBytes,
    maxFiles: deps.options.buildContextFiles,
    signal: guard.signal,
  });
  // Which file it is helps whoever has to mend it; the log is theirs, the status is public.
  if (!exported.ok && exported.problem.kind === 'rejected')
    tail.push(`context: ${exported.problem.message}${pathOf(exported.problem)}\n`);
  return exported;
}

function pathOf({ cause }: Problem): string {
  return typeof cause === 'string' ? `: ${Buffer.from(cause, 'latin1').toString('utf8')}` : '';
}

/** What the engine is told, with the credentials the registry has now. */
async function requestOf(deps: Deps, { spec }: BuildRun) {
  const { context, dockerfile, target, build_args } = spec.build;
  const secret = deps.options.buildRegistryCredentialsSecret;
  const credentials = secret === undefined ? ok(undefined) : await deps.credentials.forRepository(secret, 'read');
  if (!credentials.ok) return credentials;
  const source = deps.store.sources.cached(spec.source);
  return ok({
    dockerfile: context === '.' ? dockerfile : dockerfile.slice(context.length + 1),
    ...(target === undefined ? {} : { target }),
    buildArgs: build_args,
    image: `${spec.repository}:${spec.tag}`,
    registries: source?.spec.grant.registries ?? [],
    ...(credentials.value === undefined ? {} : { credentials: credentials.value }),
  });
}

/** Writes the log's tail while the build runs, so that people can follow it and see that it lives. */
async function keepLog(deps: Deps, { tail, turn }: Carrying, signal: AbortSignal): Promise<void> {
  let shown = '';
  let wroteAt = deps.clock.now().getTime();
  while (!signal.aborted) {
    await deps.clock.sleep(LOG_EVERY_MS, signal);
    const log = tail.text();
    const now = deps.clock.now();
    if (signal.aborted || (log === shown && now.getTime() - wroteAt < HEARTBEAT_MS)) continue;
    shown = log;
    wroteAt = now.getTime();
    const written = await change(deps, turn, ({ status }) =>
      status.state === 'running' ? { ...status, log, heartbeatAt: now.toISOString() } : undefined,
    );
    if (!written.ok) deps.log.warn('writing the log of a build', { build: turn.name, code: written.problem.code });
  }
}

/** Makes the build wait for its next try. One that a stopping worker gave back did not count. */
async function putBack(
  deps: Deps,
  turn: Turn,
  input: { readonly log: string; readonly problem?: Problem; readonly countsNot?: boolean },
): Promise<Result<void>> {
  const { problem: p, log } = input;
  const written = await change(deps, turn, ({ status }) => ({
    state: 'queued',
    release: status.release,
    attempts: (status.attempts ?? 1) - (input.countsNot === true ? 1 : 0),
    log,
    ...(p === undefined ? {} : { code: p.code, message: p.message }),
  }));
  return written.ok ? fail(problem('worker_stopping', undefined, { afterMs: 0 })) : written;
}

type End =
  | { readonly state: 'succeeded'; readonly digest: string; readonly image: string; readonly log: string }
  | { readonly state: 'failed' | 'cancelled'; readonly problem: Problem; readonly log?: string };

/** Writes the end of a build and has its release looked at. */
async function conclude(deps: Deps, turn: Turn, end: End): Promise<Result<void>> {
  const at = deps.clock.now().toISOString();
  const written = await change(deps, turn, ({ status }) => {
    const { deadline: _over, heartbeatAt: _alive, ...kept } = status;
    const log = end.log ?? status.log;
    const what =
      end.state === 'succeeded'
        ? { digest: end.digest, image: end.image }
        : { code: end.problem.code, message: end.problem.message };
    return { ...kept, ...what, state: end.state, finishedAt: at, ...(log === undefined ? {} : { log }) };
  });
  if (!written.ok) return written;
  deps.metrics.stage('image', end.state, 0);
  deps.log.info('build ended', {
    build: turn.name,
    state: end.state,
    code: end.state === 'succeeded' ? undefined : end.problem.code,
  });
  return follow(deps, written.value);
}

/** Changes the status under the fence: a turn that outlived its lease writes nothing any more. */
async function change(
  deps: Deps,
  { name, lease }: Turn,
  next: (current: BuildRun) => BuildRun['status'] | undefined,
): Promise<Result<BuildRun>> {
  let isLost = false;
  const written = await deps.store.builds.updateStatus(name, (current) => {
    isLost = lease.signal.aborted || (current.status.fence ?? 0) > lease.fence;
    const status = isLost ? undefined : next(current);
    return status === undefined ? undefined : { ...status, fence: lease.fence };
  });
  return isLost ? fail(problem('lease_lost')) : written;
}

function follow(deps: Deps, run: BuildRun): Promise<Result<void>> {
  return deps.jobs.add({ queue: 'reconcile', application: run.spec.application });
}
