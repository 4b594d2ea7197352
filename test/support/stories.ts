import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { RecordedComment } from '../../src/demo/forge-pulls.ts';
import type { ForgeFailure } from '../../src/demo/forge-recorder.ts';
import { MARKER, NUMBER, ownComments, PLAN_CONTEXT, type PullWorld, startPullWorld } from './pull-request.ts';
import { CONTEXT, finals, until } from './world.ts';

export type Forge = 'github' | 'gitlab';
export const FORGES: readonly Forge[] = ['github', 'gitlab'];
export const SOURCE = 'acme.production.shop';
export const APP = 'acme/production/shop';

/** A world of one forge, played by its recorder, with a request to play with. */
export type StoryWorld = PullWorld & {
  readonly kind: Forge;
  /** Pushes to main, and delivers that unless told not to. Answers the commit. */
  push(build: number, options?: { readonly message?: string; readonly silent?: boolean }): Promise<string>;
  /** One delivery of a push, as the forge signs it. Answers the receiver's status. */
  deliverPush(commit: string, options?: { readonly ref?: string; readonly id?: string }): Promise<number>;
  /** The secret that deliveries prove from now on. */
  proveWith(secret: string): void;
  /** Somebody comments on the request, and the forge delivers that; `deliverComment` delivers it once more. */
  comment(author: number, body: string): Promise<RecordedComment>;
  deliverComment(comment: RecordedComment, id?: string): Promise<number>;
  /** A command that has to end well. */
  must(...args: string[]): Promise<string>;
};

export async function startStory(
  kind: Forge,
  options: { readonly flags?: readonly string[]; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<StoryWorld> {
  // Nothing but deliveries tells of what happens, so that a poll in between changes no story.
  const flags = ['--interval', '600', ...(options.flags ?? [])];
  const world = await startPullWorld({ forge: kind, ...options, flags });
  let { secret } = world.hook;
  const send = (delivery: Delivery): Promise<number> => deliverTo({ url: world.hook.url, secret }, kind, delivery);
  const story: StoryWorld = Object.assign(world, {
    kind,
    proveWith: (proved: string) => {
      secret = proved;
    },
    push: async (build: number, given: { readonly message?: string; readonly silent?: boolean } = {}) => {
      const commit = await world.tree.push('hakopod.toml', world.file(build), given.message ?? `build ${build}`);
      if (given.silent !== true) expect(await story.deliverPush(commit)).toBe(202);
      return commit;
    },
    deliverPush: (commit: string, { ref = 'refs/heads/main', id }: { ref?: string; id?: string } = {}) =>
      send(
        kind === 'github'
          ? { event: 'push', id, payload: { ref, after: commit, deleted: false, repository: REPOSITORY } }
          : {
              event: ref.startsWith('refs/tags/') ? 'Tag Push Hook' : 'Push Hook',
              id,
              payload: {
                object_kind: ref.startsWith('refs/tags/') ? 'tag_push' : 'push',
                ...{ ref, after: commit, checkout_sha: commit, project_id: 4711, project: PROJECT },
              },
            },
      ),
    comment: async (author: number, body: string) => {
      const written = world.forge.addComment({ forge: kind, project: 'acme/shop', number: NUMBER, author, body });
      expect(await story.deliverComment(written)).toBe(202);
      return written;
    },
    deliverComment: ({ id: number, body }: RecordedComment, id?: string) =>
      send(
        kind === 'github'
          ? {
              event: 'issue_comment',
              id,
              payload: {
                ...{ action: 'created', issue: { number: NUMBER, pull_request: {} }, comment: { id: number, body } },
                repository: REPOSITORY,
              },
            }
          : {
              event: 'Note Hook',
              id,
              payload: {
                ...{ object_kind: 'note', project: PROJECT },
                object_attributes: { id: number, note: body, noteable_type: 'MergeRequest', action: 'create' },
                merge_request: { iid: NUMBER, target_project_id: 4711 },
              },
            },
      ),
    must: async (...args: string[]) => {
      const done = await world.cli(args);
      expect(done.code, `${args.join(' ')}: ${done.out}`).toBe(0);
      return done.out;
    },
  });
  return story;
}

const REPOSITORY = { id: 4711, full_name: 'acme/shop' };
const PROJECT = { id: 4711, path_with_namespace: 'acme/shop' };

type Delivery = { readonly event: string; readonly id: string | undefined; readonly payload: object };

async function deliverTo(
  hook: { readonly url: string; readonly secret: string },
  forge: Forge,
  { event, id = randomBytes(16).toString('hex'), payload }: Delivery,
): Promise<number> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const proof =
    forge === 'github'
      ? { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${signature}` }
      : { 'x-gitlab-event': event, 'x-gitlab-webhook-uuid': id, 'x-gitlab-token': hook.secret };
  const headers: Record<string, string> = { 'content-type': 'application/json', ...proof };
  const answer = await fetch(hook.url, { method: 'POST', body, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/**
 * The end of every story: exactly these commits, and no other, have exactly one final status in the context, after which nothing was said
 * of them any more; and the forge had nothing against any request. The commit that main began with has its own.
 */
export function expectOneWordEach(
  world: StoryWorld,
  expected: {
    readonly plan?: readonly string[];
    readonly deploy?: readonly string[];
    /** In other contexts, a commit each. */
    readonly others?: readonly (readonly [string, string])[];
  },
): void {
  const words: Record<string, readonly string[]> = {};
  for (const { context, commit, state } of world.forge.statuses())
    if (context.startsWith('hakopod/'))
      words[`${context} ${commit}`] = [...(words[`${context} ${commit}`] ?? []), state];
  const ends = Object.entries(words).map(([of, states]) => {
    const isOneAtTheEnd = states.filter((state) => state !== 'pending').length === 1 && states.at(-1) !== 'pending';
    return [of, isOneAtTheEnd ? 'one final status' : states.join()];
  });
  const all = [
    ...(expected.plan ?? []).map((commit) => `${PLAN_CONTEXT} ${commit}`),
    ...[world.main, ...(expected.deploy ?? [])].map((commit) => `${CONTEXT} ${commit}`),
    ...(expected.others ?? []).map(([context, commit]) => `${context} ${commit}`),
  ];
  expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(all.map((of) => [of, 'one final status'])));
  expect(world.complaints).toEqual([]);
}

/** The plan's comment: there is exactly one, of this head and of no other. */
export function expectOneComment(world: StoryWorld, head: string, others: readonly string[] = []): void {
  const ours = ownComments(world).filter(({ body }) => body.startsWith(MARKER));
  expect(ours).toHaveLength(1);
  expect(ours[0]?.body).toContain(head);
  for (const other of others) expect(ours[0]?.body).not.toContain(other);
}

/** Waits for the pending status that says so. */
export function pendingOf(world: StoryWorld, commit: string, text: string): Promise<unknown> {
  return until(`${commit.slice(0, 8)} is pending: ${text}`, () =>
    world.forge
      .statuses()
      .find(
        (status) =>
          status.commit === commit && status.state === 'pending' && status.description?.includes(text) === true,
      ),
  );
}

/** The one final deploy status of a commit, once everything said about it is at rest. */
export async function endOf(world: StoryWorld, commit: string, ms?: number): Promise<string> {
  await until(`${commit.slice(0, 8)} has a final status`, () => finals(world, commit).length > 0, ms);
  await world.quiet();
  return finals(world, commit)
    .map(({ state, description }) => `${state}: ${description}`)
    .join(' and ');
}

/** A call of the API as the first administrator. */
export async function callApi(world: StoryWorld, method: 'GET' | 'POST', path: string): Promise<unknown> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'hakopod-admin-key' };
  const read = await world.api.get(ref);
  const { key = '' } = ((read.ok ? read.value?.data : undefined) ?? {}) as Readonly<Record<string, string>>;
  const headers = { authorization: `Bearer ${Buffer.from(key, 'base64').toString('utf8')}` };
  const answer = await fetch(`${new URL(world.hook.url).origin}/api/v1${path}`, { method, headers });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

/** What fails, and how often. */
export type Fault = {
  readonly method: string;
  readonly path: RegExp;
  readonly failure: ForgeFailure;
  readonly times: number;
};

/** Lets requests to the forge fail from now on; answers how many each fault has still to spend. */
export function arm(world: StoryWorld, faults: readonly Fault[]): () => readonly number[] {
  const left = faults.map(({ times }) => times);
  world.forge.onRequest((method, path) => {
    const index = faults.findIndex(
      (fault, n) => (left[n] ?? 0) > 0 && fault.method === method && fault.path.test(path),
    );
    if (index < 0) return undefined;
    left[index] = (left[index] ?? 0) - 1;
    return faults[index]?.failure;
  });
  return () => left;
}
