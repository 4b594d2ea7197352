import { beforeEach, describe, expect, it } from 'vitest';
import { fail, problem } from '../../src/kernel/index.ts';
import { plan, report } from '../../src/pipeline/index.ts';
import { isOwed, withReport } from '../../src/pipeline/ledger.ts';
import type { CommitOutcome, CommitReport } from '../../src/ports/index.ts';
import { type Memory, memory, RUN, SHA, SOURCE } from '../support/memory.ts';

let world: Memory;
const job = { source: SOURCE, commit: SHA(1) };

beforeEach(async () => {
  world = await memory();
});

function entry(): CommitReport | undefined {
  return world.sources.items.get(SOURCE)?.status.reports?.find(({ commit }) => commit === SHA(1));
}

async function desire(outcome: CommitOutcome, description: string, deployment?: CommitReport['deployment']) {
  await world.sources.updateStatus(SOURCE, (current) => {
    const reports = withReport(current.status.reports ?? [], SHA(1), { outcome, description }, world.now);
    const withIt = reports.map((one) => (deployment === undefined ? one : { ...one, deployment }));
    return { ...current.status, reports: withIt };
  });
}

/** Runs the jobs that each report leaves behind, as the queue does. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await report(world.deps, job);
}

const outcomes = () => world.deployed.map(({ outcome }) => outcome);

describe('the deployment of a released commit', () => {
  it('follows the status to its end, under one id, with the URL once it answers', async () => {
    await desire('pending', 'deploying revision 1', {});
    await settle();
    await world.applications.updateStatus(SOURCE, ({ status }) => ({
      ...status,
      services: [
        { name: 'job', status: 'completed' },
        { name: 'web', status: 'ready', url: 'https://web.apps.example.test' },
      ],
    }));
    await desire('success', 'released revision 1');
    await settle();
    expect(world.deployed).toMatchObject([
      { environment: 'acme/production/shop', outcome: 'pending', commit: SHA(1) },
      { environment: 'acme/production/shop', outcome: 'success', known: '1', url: 'https://web.apps.example.test' },
    ]);
    expect(world.posted.map(({ outcome }) => outcome)).toEqual(['pending', 'success']);
    const done = entry();
    expect(done !== undefined && isOwed(done)).toBe(false);
  });

  it.each(['failure', 'superseded', 'cancelled', 'lost'] as const)('ends with %s too', async (outcome) => {
    await desire('pending', 'deploying revision 1', {});
    await settle();
    await desire(outcome, 'over');
    await settle();
    expect(outcomes()).toEqual(['pending', outcome]);
  });

  it('is never shown before the status, and is owed until it is', async () => {
    await desire('success', 'released revision 1', {});
    world.forgeAnswers.push(fail(problem('forge_unavailable')));
    expect((await report(world.deps, job)).ok).toBe(false);
    expect(world.deployed).toEqual([]);
    await report(world.deps, job);
    expect(world.jobs).toContainEqual({ queue: 'report', ...job });
    const owing = entry();
    expect(owing !== undefined && isOwed(owing)).toBe(true);
    await settle();
    expect(outcomes()).toEqual(['success']);
  });

  it.each(['forge_unavailable', 'forge_rate_limited'] as const)('waits after %s', async (code) => {
    await desire('success', 'released revision 1', {});
    await report(world.deps, job);
    world.deploymentAnswers.push(fail(problem(code)));
    expect(await report(world.deps, job)).toMatchObject({ ok: false, problem: { code } });
    await settle();
    expect(outcomes()).toEqual(['success']);
  });

  it('is given up when the forge refuses it, and the status is not', async () => {
    await desire('pending', 'deploying revision 1', {});
    world.deploymentAnswers.push(fail(problem('forge_unauthorized')));
    await settle();
    await desire('success', 'released revision 1');
    await settle();
    expect(world.deployed).toEqual([]);
    expect(entry()?.deployment).toEqual({ undeliverable: 'forge_unauthorized' });
    expect(world.posted.at(-1)?.outcome).toBe('success');
  });
});

describe('a commit', () => {
  const shop = (image: string): string => `name = "shop"\n[services.web]\nimage = "${image}"\nport = 80\n`;
  const planned = async (deployments: boolean, file: string): Promise<CommitReport | undefined> => {
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, deployments } }));
    world.files.set(SHA(1), file);
    await world.sources.updateStatus(SOURCE, ({ status, generation }) => ({
      ...status,
      seen: { commit: SHA(1), generation, at: world.now.toISOString() },
    }));
    await plan(world.deps, { source: SOURCE }, RUN);
    return entry();
  };

  it('that is released gets a deployment where the source says so', async () => {
    expect((await planned(true, shop('nginx:1.27')))?.deployment).toBeDefined();
  });

  it('gets none where it does not', async () => {
    const told = await planned(false, shop('nginx:1.27'));
    expect([told?.desired.outcome, told?.deployment]).toEqual(['pending', undefined]);
  });

  it('that is refused gets none', async () => {
    const told = await planned(true, 'name = "other"\n');
    expect([told?.desired.outcome, told?.deployment]).toEqual(['failure', undefined]);
  });
});
