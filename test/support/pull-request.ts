import { randomBytes } from 'node:crypto';
import type { RecordedStatus } from '../../src/demo/forge-ledger.ts';
import type { RecordedComment, RecordedPull } from '../../src/demo/forge-pulls.ts';
import { shopFile } from '../../src/demo/shop.ts';
import { deliverPullRequest } from '../../src/demo/webhook.ts';
import { deliver, finalOf, startWorld, until, type World } from './world.ts';

export const PLAN_CONTEXT = 'hakopod/plan/acme/production/shop';
export const MARKER = '<!-- hakopod:plan:acme/production/shop -->';
export const NUMBER = 7;

/** A world with the shop released from main, and pull request 7 to play with. */
export type PullWorld = World & {
  readonly hook: { readonly url: string; readonly secret: string };
  /** The commit main is at. */
  readonly main: string;
  file(build: number): string;
  /** Commits a change onto main, shows it as the head of the request at the Git server and the forge; delivers nothing. */
  show(change: Partial<Change>): Promise<string>;
  deliverPull(head: string, action?: string, id?: string): Promise<number>;
};

type Change = {
  readonly text: string | undefined;
  readonly path: string;
  readonly fork: boolean;
  readonly state: RecordedPull['state'];
  readonly base: string;
  readonly number: number;
  readonly onto: string;
};

export async function startPullWorld(
  options: { readonly redisUrl?: string; readonly released?: boolean } = {},
): Promise<PullWorld> {
  const world = await startWorld();
  const serving = await world.serve({
    pullRequestsCheckSeconds: 2,
    ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
  });
  await world.cli(['secrets', 'set', 'db-password', '--app', 'acme/production/shop'], 'correct horse\n');
  const bound = await world.bind({ flags: ['--interval', '5'] });
  const hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
  const file = (build: number): string => shopFile({ registry: world.registry.host, build, patch: false });
  const main = await world.tree.push('hakopod.toml', file(0), 'first');
  if (options.released !== false) {
    await deliver(hook, { commit: main });
    await finalOf(world, main);
  }
  return Object.assign(world, {
    hook,
    main,
    file,
    show: async (change: Partial<Change>) => {
      const { fork = false, state = 'open', base = 'main', number = NUMBER, onto = main } = change;
      const branch = `change-${number}`;
      const head = await world.tree.propose({
        onto,
        refs: [`refs/pull/${number}/head`, ...(fork ? [] : [`refs/heads/${branch}`])],
        path: change.path ?? 'hakopod.toml',
        text: 'text' in change ? change.text : file(1),
        message: `change ${randomBytes(4).toString('hex')}`,
      });
      const place = { forge: 'github', project: 'acme/shop', repositoryId: 4711 } as const;
      world.forge.putPull({ ...place, number, state, head, branch, base, fork, mergeBase: main });
      return head;
    },
    deliverPull: (head: string, action = 'synchronize', id = randomBytes(16).toString('hex')) =>
      deliverPullRequest(
        { ...hook, repositoryId: 4711, fullName: 'acme/shop' },
        { number: NUMBER, head, action, delivery: id },
      ),
  });
}

/** Statuses of a commit in the plan context; none of them is ever pending. */
export function planStatuses(world: World, commit: string): readonly RecordedStatus[] {
  return world.forge.statuses().filter((status) => status.commit === commit && status.context === PLAN_CONTEXT);
}

export function planStatusOf(world: World, commit: string, ms?: number): Promise<RecordedStatus> {
  return until(`${commit.slice(0, 8)} has a plan status`, () => planStatuses(world, commit)[0], ms);
}

/** The comments of our own user on the request. */
export function ownComments(world: World): readonly RecordedComment[] {
  return world.forge.comments().filter((comment) => comment.author === 1001);
}

export function commentWith(world: World, text: string): Promise<RecordedComment> {
  return until(`the comment says ${text}`, () => ownComments(world).find((comment) => comment.body.includes(text)));
}
