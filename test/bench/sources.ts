import { randomBytes } from 'node:crypto';
import { deliverPullRequest } from '../../src/demo/webhook.ts';
import { type Child, startChild } from '../support/child.ts';
import { addSources, appOf, fileOf, HOOK, isReleased, nameOf, pushVersion, specOf } from '../support/many-sources.ts';
import { deliver, startWorld, until, type World } from '../support/world.ts';
import { median, memoryMib } from './process.ts';

const REPEATS = 5;
const NUMBER = 7;
/** Up to so many sources a request tells all of them, for the checks a forge may require; see `planRequest`. */
const FEW = 21;

/**
 * One repository with 10 and with 1,000 sources, one commit that touches one of them: from the delivered push until its plan is recorded
 * on the source (`n1000_ms`) and its first status is at the forge (`n1000_status_ms`), and for the head of a pull request until its status
 * and comment are there (`pull_n1000_ms`). Per push and at the largest size: requests to the Git server, sources planned, runs of the plan
 * queue, requests to the API server, statuses written at the forge. The peer in the same run is the smallest size (`ratio`, `pull_ratio`).
 * More than one ls-refs, or more than one source planned or written to, ends the run with an error.
 */
export async function runSourcesBench(options: { readonly smoke?: boolean } = {}): Promise<Record<string, number>> {
  const sizes = options.smoke === true ? [3, 30] : [10, 1000];
  const figures: Record<string, number> = {};
  let last: Measured | undefined;
  for (const size of sizes) {
    const measured = await measure(size);
    last = measured;
    const { push, pull } = measured;
    figures[`n${size}_ms`] = push.ms;
    figures[`n${size}_status_ms`] = push.statusMs;
    figures[`n${size}_api_calls`] = push.calls;
    figures[`pull_n${size}_ms`] = pull.ms;
    figures[`pull_n${size}_api_calls`] = pull.calls;
    figures[`n${size}_worker_mib`] = measured.workerMib;
    console.log(
      `${size} sources: push to plan ${push.ms} ms, to its status ${push.statusMs} ms, ${push.lsRefs} ls-refs, ${push.fetches} fetches, ${push.calls} API calls; ` +
        `pull request to plan ${pull.ms} ms, ${pull.lsRefs} ls-refs, ${pull.fetches} fetches, ${pull.calls} API calls (medians of ${REPEATS}); worker ${measured.workerMib} MiB at most`,
    );
  }
  if (last === undefined) throw new Error('nothing was measured');
  const { push, pull } = last;
  const [few = 0, many = 0] = [sizes[0], sizes.at(-1)];
  const ratio = (name: string): number =>
    Number(((figures[name.replace('N', `n${many}`)] ?? 0) / (figures[name.replace('N', `n${few}`)] ?? 1)).toFixed(2));
  Object.assign(figures, {
    ratio: ratio('N_ms'),
    pull_ratio: ratio('pull_N_ms'),
    ls_refs: push.lsRefs,
    fetches: push.fetches,
    planned: push.planned,
    plan_runs: push.planRuns,
    statuses: push.statuses,
    pull_ls_refs: pull.lsRefs,
    pull_fetches: pull.fetches,
    pull_planned: pull.planned,
    pull_statuses: pull.statuses,
    written: push.written,
    pull_written: pull.written,
    server_mib: last.serverMib,
  });
  console.log(`${many} sources to ${few}: push ${figures.ratio}, pull request ${figures.pull_ratio} times as long`);
  return figures;
}

type Turn = {
  readonly ms: number;
  readonly statusMs: number;
  readonly lsRefs: number;
  readonly fetches: number;
  /** Sources whose plan is new. */
  readonly planned: number;
  readonly planRuns: number;
  /** Sources and plans whose record changed. */
  readonly written: number;
  readonly calls: number;
  readonly statuses: number;
};

type Measured = { readonly push: Turn; readonly pull: Turn; readonly workerMib: number; readonly serverMib: number };

type Bench = { readonly world: World; readonly worker: Child; readonly hook: { url: string; secret: string } };

async function measure(size: number): Promise<Measured> {
  const world = await startWorld();
  try {
    const main = await addSources(world, size);
    const quiet = { HAKOPOD_LOG_LEVEL: 'warn', HAKOPOD_RESYNC_SECONDS: '600', HAKOPOD_LEASE_SECONDS: '15' };
    const worker = await startChild(world, 'worker', quiet);
    const server = await startChild(world, 'server', quiet);
    const bench: Bench = { world, worker, hook: { url: `${server.url}${HOOK.path}`, secret: HOOK.secret } };
    // The first of each is a release or comment of its own, and not what is measured.
    await turn(bench, () => push(bench, 1));
    const pushes: Turn[] = [];
    for (let version = 2; version < 2 + REPEATS; version += 1)
      pushes.push(await turn(bench, () => push(bench, version)));
    await turn(bench, () => propose(bench, main, 100));
    const pulls: Turn[] = [];
    for (let version = 101; version < 101 + REPEATS; version += 1)
      pulls.push(await turn(bench, () => propose(bench, main, version)));
    for (const [what, turns] of [
      ['push', pushes],
      ['pull request', pulls],
    ] as const)
      for (const { lsRefs, planned, written } of turns)
        if (lsRefs !== 1 || planned !== 1 || (size > FEW && written !== 1))
          throw new Error(
            `${size} sources: a ${what} took ${lsRefs} ls-refs, planned ${planned} and wrote to ${written} records`,
          );
    return {
      push: medianOf(pushes),
      pull: medianOf(pulls),
      workerMib: memoryMib(worker.process.pid, 'VmHWM'),
      serverMib: memoryMib(server.process.pid, 'VmHWM'),
    };
  } finally {
    await world.stop();
  }
}

/** What a change itself measures; the rest is counted around it. */
type Took = Pick<Turn, 'ms' | 'statusMs'> & { readonly commit: string };

async function turn({ world, worker }: Bench, change: () => Promise<Took>): Promise<Turn> {
  const touched = new Set<string>();
  const stops = [world.store.sources, world.store.plans].map((collection) =>
    collection.onChange((name) => touched.add(name)),
  );
  const runs = await planRunsOf(worker);
  const said = world.forge.statuses().length;
  world.git.resetStats();
  world.cluster.resetRequests();
  const { commit, ms, statusMs } = await change();
  const { lsRefs, fetches } = world.git.stats();
  const calls = world.cluster.requests().total;
  for (const stop of stops) stop();
  const planRuns = (await planRunsOf(worker)) - runs;
  const planned =
    world.store.sources.all().filter(({ status }) => status.planned?.commit === commit).length +
    world.store.plans.all().filter(({ status }) => status.head === commit && status.outcome === 'planned').length;
  return {
    ...{ ms, statusMs, lsRefs, fetches, planned, planRuns, calls },
    written: touched.size,
    statuses: world.forge.statuses().length - said,
  };
}

/** Pushes one change to main and delivers it, until the release that follows has ended. */
async function push({ world, hook }: Bench, version: number): Promise<Took> {
  const commit = await pushVersion(world, { index: 0, version });
  const name = nameOf(0);
  const began = performance.now();
  const recorded = untilThen(() => world.store.sources.cached(name)?.status.planned?.commit === commit);
  const answer = await deliver(hook, { commit });
  if (answer.status !== 202) throw new Error(`the delivery was answered ${answer.status}`);
  const [planned, said] = await Promise.all([recorded, statusOf(world, commit)]);
  await until('the release has ended', () => isReleased(world, 0, commit), 60_000);
  await until('its last status is said', () =>
    world.forge.statuses().some((status) => status.commit === commit && status.state === 'success'),
  );
  return { commit, ms: planned - began, statusMs: said - began };
}

/** Pushes one change as the head of a pull request, delivers both events a forge sends, until status and comment are there. */
async function propose({ world, hook }: Bench, main: string, version: number): Promise<Took> {
  const head = await world.tree.propose({
    onto: main,
    refs: [`refs/pull/${NUMBER}/head`, `refs/heads/change-${NUMBER}`],
    path: fileOf(0),
    text: specOf(world, { index: 0, version }),
    message: `Version ${version}`,
  });
  world.forge.putPull({
    ...{ forge: 'github', project: 'acme/shop', repositoryId: 4711, number: NUMBER, state: 'open', head },
    ...{ branch: `change-${NUMBER}`, base: 'main', fork: false, mergeBase: main },
  });
  const began = performance.now();
  const commented = untilThen(() => world.forge.comments().some(({ body }) => body.includes(head)));
  await deliver(hook, { commit: head, ref: `refs/heads/change-${NUMBER}` });
  await deliverPullRequest(
    { ...hook, repositoryId: 4711, fullName: 'acme/shop' },
    { number: NUMBER, head, action: 'synchronize', delivery: randomBytes(16).toString('hex') },
  );
  const [comment, said] = await Promise.all([commented, statusOf(world, head)]);
  await until('the plan says what is posted', () =>
    world.store.plans
      .all()
      .some(
        ({ status }) =>
          status.head === head && status.reports?.every(({ desired, posted }) => desired.outcome === posted?.outcome),
      ),
  );
  return { commit: head, ms: Math.max(comment, said) - began, statusMs: said - began };
}

/** When the forge first had a status of the application's for the commit. */
function statusOf(world: World, commit: string): Promise<number> {
  const isIts = (context: string): boolean => context.endsWith(`/acme/production/${appOf(0)}`);
  return untilThen(() => world.forge.statuses().some((one) => one.commit === commit && isIts(one.context)));
}

/** When something came to be, to the 5 ms. */
async function untilThen(look: () => boolean): Promise<number> {
  const deadline = performance.now() + 60_000;
  while (!look()) {
    if (performance.now() > deadline) throw new Error('waited 60 s in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return performance.now();
}

/** How often the worker has run the plan queue's handler. */
async function planRunsOf(worker: Child): Promise<number> {
  const page = await (await fetch(`${worker.adminUrl}/metrics`)).text();
  const counts = page.matchAll(/^hakopod_stage_duration_seconds_count\{stage="plan",[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function medianOf(turns: readonly Turn[]): Turn {
  const of = (name: keyof Turn): number => Math.round(median(turns.map((one) => one[name])));
  return {
    ...{ ms: of('ms'), statusMs: of('statusMs'), lsRefs: of('lsRefs'), fetches: of('fetches') },
    ...{
      planned: of('planned'),
      planRuns: of('planRuns'),
      calls: of('calls'),
      statuses: of('statuses'),
      written: of('written'),
    },
  };
}
