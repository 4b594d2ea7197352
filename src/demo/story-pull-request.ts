import type { ForgeRecorder } from './forge-recorder.ts';
import type { WorkTree } from './repository.ts';
import { shopFile } from './shop.ts';
import { deliverPullRequest, type Hook } from './webhook.ts';
import type { DemoParts } from './world.ts';

const CONTEXT = 'hakopod/plan/acme/production/shop';
const NUMBER = 7;
const PATIENCE_MS = 90_000;
/** Of the comment that are printed; a terminal is no forge. */
const LINES = 24;

/** What the story needs of the demo's world. */
export type PullRequestStage = {
  readonly parts: DemoParts;
  readonly forge: ForgeRecorder;
  readonly tree: WorkTree;
  readonly hook: Hook;
  readonly registry: string;
  readonly say: (text: string) => void;
  /** Everything the application has in the cluster, as one text to compare. */
  readonly versions: () => Promise<string>;
};

/**
 * A pull request of a fork is opened, pushed to and closed: its file is planned under the base's grant, in one comment and one status per
 * commit, and nothing in the cluster changes. `build` is the number main stands at.
 */
export async function pullRequestStory(stage: PullRequestStage, build: number): Promise<void> {
  const { parts, say, forge } = stage;
  const before = await stage.versions();
  const first = await show(stage, { build: build + 1, patch: false, action: 'opened' });
  say(`a fork opens pull request ${NUMBER}: ${first.slice(0, 8)}`);
  await status(stage, first, 'success');
  const comment = await waitFor(parts, 'the comment', () => forge.comments().find(({ body }) => body.includes(first)));
  for (const line of comment.body.trimEnd().split('\n').slice(0, LINES)) parts.print(`             ${line}`);

  const second = await show(stage, { build: build + 1, patch: true, action: 'synchronize' });
  say(`the fork pushes again, with a Kubernetes patch: ${second.slice(0, 8)}`);
  await status(stage, second, 'failure');
  await waitFor(parts, 'the comment', () => forge.comments().find(({ body }) => body.includes(second)));
  expect(forge.comments().length === 1, `there are ${forge.comments().length} comments`);

  forge.putPull({ ...pull(second), state: 'closed' });
  await deliver(stage, second, 'closed');
  expect((await stage.versions()) === before, 'the cluster changed although nothing was merged');
  say('one comment, kept up to date; no object in the cluster changed');
}

type Change = { readonly build: number; readonly patch: boolean; readonly action: string };

/** A fork's head: the base repository has it under the request's own ref and on no branch. */
async function show(stage: PullRequestStage, change: Change): Promise<string> {
  const head = await stage.tree.propose({
    onto: 'main',
    refs: [`refs/pull/${NUMBER}/head`],
    path: 'hakopod.toml',
    text: shopFile({ registry: stage.registry, build: change.build, patch: change.patch }),
    message: `Build ${change.build} of a fork`,
  });
  stage.forge.putPull(pull(head));
  await deliver(stage, head, change.action);
  return head;
}

function pull(head: string): Parameters<ForgeRecorder['putPull']>[0] {
  return {
    ...{ forge: 'github', project: 'acme/shop', repositoryId: 4711, number: NUMBER, state: 'open' },
    ...{ head, branch: 'main', base: 'main', fork: true },
  };
}

async function deliver({ hook, parts }: PullRequestStage, head: string, action: string): Promise<void> {
  const code = await deliverPullRequest(hook, { number: NUMBER, head, action, delivery: `demo-${parts.hex(8)}` });
  expect(code === 202, `the delivery was answered ${code}`);
}

function status({ parts, forge }: PullRequestStage, commit: string, state: string): Promise<unknown> {
  return waitFor(parts, `a ${state} status of ${commit.slice(0, 8)}`, () =>
    forge.statuses().find((one) => one.commit === commit && one.state === state && one.context === CONTEXT),
  );
}

async function waitFor<T>(parts: DemoParts, what: string, look: () => T | undefined): Promise<T> {
  const deadline = parts.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (parts.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`);
    await parts.sleep(25);
  }
}

function expect(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}
