import {
  type CommentCommand,
  commentCommand,
  displayApplication,
  fail,
  ok,
  problem,
  type Result,
} from '../../kernel/index.ts';
import {
  commentMentions,
  type ForgeRepository,
  type GitRepository,
  type GitSource,
  type RequestComment,
} from '../../ports/index.ts';
import { commandAnswer, commandMarker } from '../../status/index.ts';
import type { Deps } from '../context.ts';
import { isFinal, reportOf } from '../ledger.ts';
import { approve } from '../policy/approve.ts';
import { currentWait } from '../policy/waiting.ts';
import { forgeOf } from '../remote.ts';
import type { RequestKey } from './plans.ts';

/** Comments of one request that are read in one go; the rest comes right after. */
const READ = 20;
/** How long after a comment the commit it is for may still be on its way to a plan. */
const ARRIVING_MS = 60_000;

/** What comments ask of the request's plans. */
export type Asked = {
  /** Starts of the head that is to be planned anew; empty is any head. */
  readonly plan: readonly string[];
  /** The comments to forget once that is done. */
  readonly comments: readonly string[];
};

const NOTHING: Asked = { plan: [], comments: [] };

type Told = {
  readonly id: string;
  readonly at: string;
  readonly comment: RequestComment;
  readonly command: CommentCommand;
};

/**
 * Carries out what comments on a request ask for. A delivery only says which comment to read: its text, its author and whether they may
 * write to the repository are asked of the forge, each time. A stranger's comment does nothing and gets no answer. `hakopod deploy` approves
 * what waits at the commit the request was merged as, and nothing else; `hakopod plan` plans the head once more. Mentions live in Redis only:
 * one that is lost with it is written again by a person.
 */
export async function obeyComments(deps: Deps, job: RequestKey, repository: GitRepository): Promise<Result<Asked>> {
  const mentioned = await deps.deliveries.mentioned(job.repository, commentMentions(job.number));
  if (!mentioned.ok) return mentioned;
  const mentions = mentioned.value.slice(0, READ);
  if (mentions.length === 0) return ok(NOTHING);
  const forge = await forgeOf(repository, deps.credentials);
  if (!forge.ok) return forge;
  const plans: Told[] = [];
  for (const { commit: id, at } of mentions) {
    const told = await readCommand(deps, forge.value, { job, id, at });
    if (!told.ok) return told;
    if (told.value?.command.kind === 'plan') {
      plans.push(told.value);
      continue;
    }
    const done = told.value === undefined ? ok(undefined) : await deploy(deps, forge.value, { job, told: told.value });
    if (!done.ok) return done;
    const forgotten = await forgetComments(deps, job, [id]);
    if (!forgotten.ok) return forgotten;
  }
  if (mentioned.value.length > READ) {
    const more = await deps.jobs.add({ queue: 'preview', repository: job.repository, number: job.number });
    if (!more.ok) return more;
  }
  return ok({ plan: plans.map(({ command }) => command.commit ?? ''), comments: plans.map(({ id }) => id) });
}

/** Lets go of comments whose command is carried out. */
export function forgetComments(deps: Deps, job: RequestKey, comments: readonly string[]): Promise<Result<void>> {
  return comments.length === 0
    ? Promise.resolve(ok(undefined))
    : deps.deliveries.forget(job.repository, commentMentions(job.number), comments);
}

/** The command of somebody who may write; `undefined` for everything else. */
async function readCommand(
  deps: Deps,
  forge: ForgeRepository,
  { job, id, at }: { readonly job: RequestKey; readonly id: string; readonly at: string },
): Promise<Result<Told | undefined>> {
  if (!/^\d{1,15}$/.test(id)) return ok(undefined);
  const read = await deps.commands.read(forge, { number: job.number, id });
  if (!read.ok) return read.problem.kind === 'rejected' ? ignored(deps, job, read.problem.code) : read;
  const command = read.value === undefined ? undefined : commentCommand(read.value.body);
  if (read.value === undefined || command === undefined) return ok(undefined);
  if (!read.value.mayWrite) return ignored(deps, job, 'forbidden');
  return ok({ id, at, comment: read.value, command });
}

function ignored(deps: Deps, { repository, number }: RequestKey, code: string): Result<undefined> {
  deps.log.warn('a comment with a command was ignored', { repository, number, code });
  return ok(undefined);
}

async function deploy(
  deps: Deps,
  forge: ForgeRepository,
  { job, told }: { readonly job: RequestKey; readonly told: Told },
): Promise<Result<void>> {
  const request = await deps.pullRequests.read(forge, job.number);
  if (!request.ok) return request;
  const answer = (text: string, lines?: readonly string[]): Promise<Result<void>> =>
    say(deps, forge, { number: job.number, body: commandAnswer(text, lines) });
  const merged = request.value?.merged;
  if (request.value === undefined || merged === undefined)
    return answer('the request is not merged yet; after the merge this approves what waits for an approval');
  const { command, comment, at } = told;
  if (command.commit !== undefined && !merged.startsWith(command.commit))
    return answer(`this request was merged as ${merged}, not as the commit that the comment names`);
  const sources = deps.store.sourcesOf(job.repository, request.value.base);
  const waiting = sources.filter((source) => isWaiting(source, merged));
  if (waiting.length === 0) {
    // What has its last word was here, and a newer commit passed it over.
    const isArriving = sources.some((source) => {
      const told = reportOf(source, merged);
      return source.status.planned?.commit !== merged && (told === undefined || !isFinal(told));
    });
    const isFresh = deps.clock.now().getTime() - Date.parse(at) < ARRIVING_MS;
    if (isArriving && isFresh)
      return fail(problem('ref_settling', undefined, { afterMs: deps.options.mentionGraceMs }));
    return answer(`nothing waits for an approval at ${merged}`);
  }
  for (const source of waiting) {
    const by = `${forge.forge}:${comment.author}`;
    const approved = await approve(deps, { source: source.name, commit: merged, by, via: 'comment' });
    if (!approved.ok && approved.problem.code !== 'not_found') return approved;
    if (approved.ok) await audit(deps, approved.value, { by, commit: merged });
  }
  return answer(
    `approved at ${merged} for`,
    waiting.map(({ spec }) => displayApplication(spec.application)),
  );
}

function isWaiting(source: GitSource, commit: string): boolean {
  const wait = currentWait(source);
  return !source.deleting && wait?.for === 'approval' && wait.commit === commit;
}

/** One comment per request that says how the last command went. A forge that refuses it keeps nothing from happening. */
async function say(
  deps: Deps,
  forge: ForgeRepository,
  { number, body }: { readonly number: number; readonly body: string },
): Promise<Result<void>> {
  const written = await deps.comments.upsert(forge, { number, marker: commandMarker(), body });
  if (written.ok || written.problem.kind === 'rejected') return ok(undefined);
  return written;
}

function audit(
  deps: Deps,
  source: GitSource,
  { by, commit }: { readonly by: string; readonly commit: string },
): Promise<void> {
  const { project, environment, name } = source.spec.application;
  return deps.audit.append({
    time: deps.clock.now().toISOString(),
    identity: by,
    origin: 'git',
    source: source.name,
    commit,
    action: 'source.approve',
    resource: { kind: 'GitSource', project, environment, application: name, name: source.name },
  });
}
