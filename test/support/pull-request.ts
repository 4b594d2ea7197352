import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createJobQueue } from '../../queues/runtime/index.ts';
import { createLog } from '../../src/adapters/log/index.ts';
import type { RecordedStatus } from '../../src/demo/forge-ledger.ts';
import { type RecordedComment, type RecordedPull, TOKEN_USER } from '../../src/demo/forge-pulls.ts';
import { shopFile } from '../../src/demo/shop.ts';
import { deliverPullRequest } from '../../src/demo/webhook.ts';
import type { Job, PullRequestPlan } from '../../src/ports/index.ts';
import { finalOf, startWorld, until, type World } from './world.ts';

export const PLAN_CONTEXT = 'hakopod/plan/acme/production/shop';
export const MARKER = '<!-- hakopod:plan:acme/production/shop -->';
export const NUMBER = 7;

type Change = {
  /** `undefined` removes the file. */
  readonly text: string | undefined;
  readonly path: string;
  readonly fork: boolean;
  readonly state: RecordedPull['state'];
  readonly base: string;
  readonly number: number;
  readonly onto: string;
};

/** A world with the shop released from main, and pull or merge request 7 to play with. */
export type PullWorld = World & {
  readonly hook: { readonly url: string; readonly secret: string };
  /** The commit main is at. */
  readonly main: string;
  file(build: number): string;
  /** Commits a change onto main, shows it as the head of the request at the Git server and the forge; delivers nothing. */
  show(change: Partial<Change>): Promise<string>;
  /** An open request with this head, for the forge. */
  pull(head: string): Omit<RecordedPull, 'updatedAt'>;
  deliverPull(head: string, action?: string, id?: string): Promise<number>;
  /** Moves the request's ref at the Git server alone. */
  moveHead(commit: string): Promise<void>;
  /** The same of any ref. */
  moveRef(ref: string, commit: string): Promise<void>;
  /** What a worker takes up, as if something had told of it. */
  enqueue(job: Job): Promise<void>;
  /** Resolves when no preview or report waits or runs any more. */
  quiet(): Promise<void>;
};

export async function startPullWorld(
  options: {
    readonly forge?: 'github' | 'gitlab';
    readonly checkSeconds?: number;
    /** More flags of `sources add`, and settings beside the world's own. */
    readonly flags?: readonly string[];
    readonly settings?: Readonly<Record<string, string>>;
    /** Starts the worker elsewhere; this process is then the server alone. */
    readonly startWorker?: (world: World) => Promise<unknown>;
  } = {},
): Promise<PullWorld> {
  const { forge = 'github' } = options;
  const world = await startWorld(options.settings === undefined ? {} : { settings: options.settings });
  const serving = await world.serve({
    pullRequestsCheckSeconds: options.checkSeconds ?? 600,
    ...(options.startWorker === undefined ? {} : { roles: ['server'] }),
  });
  await options.startWorker?.(world);
  await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
  const file = (build: number): string => shopFile({ registry: world.registry.host, build, patch: false });
  const main = await world.tree.push('hakopod.toml', file(0), 'first');
  const bound = await world.bind({ forge, flags: ['--interval', '5', ...(options.flags ?? [])] });
  const hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
  await finalOf(world, main);
  // The first list of open requests is behind us, so that it finds nothing a test shows before it delivers.
  const jobs = createJobQueue({ url: world.redis.url, prefix: 'hakopod', log: createLog('silent') });
  world.defer(() => jobs.close());
  const enqueue = async (job: Job): Promise<void> => {
    await until(`${job.queue} is queued`, async () => (await jobs.add(job)).ok);
  };
  await enqueue({ queue: 'poll', repository: `${forge}-4711` });
  await until('the forge was asked for open requests', async () => {
    const counts = await jobs.counts();
    // A poll that is still to come would tell of what the test is about to do.
    const polls = counts.ok ? counts.value.find(({ queue }) => queue === 'poll') : undefined;
    const isCalm = polls !== undefined && polls.waiting + polls.active === 0;
    return isCalm && world.store.repositories.all().every(({ status }) => status.pullRequestsAt !== undefined);
  });
  const refOf = (number: number): string =>
    forge === 'github' ? `refs/pull/${number}/head` : `refs/merge-requests/${number}/head`;
  const pull = (head: string): Omit<RecordedPull, 'updatedAt'> => ({
    ...{ forge, project: 'acme/shop', repositoryId: 4711, number: NUMBER, state: 'open', head },
    ...{ branch: `change-${NUMBER}`, base: 'main', fork: false, mergeBase: main },
  });
  const moveRef = async (ref: string, commit: string): Promise<void> => {
    await promisify(execFile)('git', ['-C', join(world.root, 'shop.git'), 'update-ref', ref, commit]);
  };
  return Object.assign(world, {
    hook,
    main,
    file,
    pull,
    show: async (change: Partial<Change>) => {
      const { fork = false, state = 'open', base = 'main', number = NUMBER, onto = main } = change;
      const branch = `change-${number}`;
      const head = await world.tree.propose({
        onto,
        refs: [refOf(number), ...(fork ? [] : [`refs/heads/${branch}`])],
        path: change.path ?? 'hakopod.toml',
        text: 'text' in change ? change.text : file(1),
        message: `change ${randomBytes(4).toString('hex')}`,
      });
      world.forge.putPull({ ...pull(head), number, state, branch, base, fork });
      return head;
    },
    deliverPull: (head: string, action = 'synchronize', id = randomBytes(16).toString('hex')) =>
      forge === 'github'
        ? deliverPullRequest(
            { ...hook, repositoryId: 4711, fullName: 'acme/shop' },
            { number: NUMBER, head, action, delivery: id },
          )
        : deliverMergeRequest(hook, { head, action, id }),
    moveHead: (commit: string) => moveRef(refOf(NUMBER), commit),
    moveRef,
    enqueue,
    quiet: async () => {
      let calm = 0;
      await until('the queues are empty', async () => {
        const counts = await jobs.counts();
        const busy =
          !counts.ok ||
          counts.value.some(
            ({ queue, waiting, active, delayed }) =>
              (queue === 'preview' || queue === 'report') && waiting + active + delayed > 0,
          );
        calm = busy ? 0 : calm + 1;
        return calm > 2;
      });
    },
  });
}

async function deliverMergeRequest(
  hook: { readonly url: string; readonly secret: string },
  { head, action, id }: { readonly head: string; readonly action: string; readonly id: string },
): Promise<number> {
  const answer = await fetch(hook.url, {
    method: 'POST',
    body: JSON.stringify({
      object_kind: 'merge_request',
      project: { id: 4711 },
      object_attributes: {
        iid: NUMBER,
        action,
        target_project_id: 4711,
        last_commit: { id: head },
        ...(action === 'update' ? { oldrev: '1'.repeat(40) } : {}),
      },
      changes: {},
    }),
    headers: {
      'content-type': 'application/json',
      'x-gitlab-event': 'Merge Request Hook',
      'x-gitlab-token': hook.secret,
      'x-gitlab-webhook-uuid': id,
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Statuses of a commit in the plan context; none of them is ever pending. */
export function planStatuses(world: World, commit: string): readonly RecordedStatus[] {
  return world.forge.statuses().filter((status) => status.commit === commit && status.context === PLAN_CONTEXT);
}

export function planStatusOf(world: World, commit: string, ms?: number): Promise<RecordedStatus> {
  return until(`${commit.slice(0, 8)} has a plan status`, () => planStatuses(world, commit)[0], ms);
}

/** The only plan there is, once its status is so. */
export function planWhen(
  world: World,
  isSo: (status: PullRequestPlan['status']) => boolean,
  ms?: number,
): Promise<PullRequestPlan> {
  return until('the plan is so', () => world.store.plans.all().find((plan) => isSo(plan.status)), ms);
}

/** The comments of our own user on the request. */
export function ownComments(world: World): readonly RecordedComment[] {
  return world.forge.comments().filter((comment) => comment.author === TOKEN_USER);
}

export function commentWith(world: World, text: string, ms?: number): Promise<RecordedComment> {
  return until(`the comment says ${text}`, () => ownComments(world).find((comment) => comment.body.includes(text)), ms);
}
