import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem, type Result } from '../../src/kernel/index.ts';
import { plan, poll, report, resync } from '../../src/pipeline/index.ts';
import { withReport } from '../../src/pipeline/ledger.ts';
import { repositoryView } from '../../src/pipeline/operations/git/view.ts';
import type { CommitReport, GitRepository, PullRequestPlan, RepositoryAccess } from '../../src/ports/index.ts';
import { type Memory, memory, RUN, SHA, SOURCE } from '../support/memory.ts';

/** A repository that a GitHub App opens, while its installation comes and goes. */
let world: Memory;
let access: Result<RepositoryAccess>;
let asked: string[];
const job = { source: SOURCE, commit: SHA(1) };
const open = ok({ username: 'x-access-token', token: 'minted', installation: '42', renewable: true } as const);

beforeEach(async () => {
  world = await memory();
  await world.repositories.update('github-1', ({ spec }) => ({ spec: { ...spec, credentialsSecret: 'git' } }));
  await desire('pending', 'deploying revision 1');
  [access, asked] = [open, []];
  Object.assign(world.deps.credentials, {
    forRepository: async (_name: string, use: string) => {
      asked.push(use);
      return access;
    },
  });
});

async function desire(outcome: 'pending' | 'success', description: string): Promise<void> {
  await world.sources.updateStatus(SOURCE, (current) => ({
    ...current.status,
    reports: withReport(current.status.reports ?? [], SHA(1), { outcome, description }, world.now),
  }));
}
const entry = (): CommitReport | undefined => world.sources.items.get(SOURCE)?.status.reports?.[0];
const repository = (): GitRepository => world.repositories.items.get('github-1')!;
const polled = () => poll(world.deps, { repository: 'github-1' }, RUN);
const LOST = ['installation_gone', 'installation_repository'] as const;
const CLOSED = ['installation_suspended', ...LOST] as const;

describe('a repository whose installation is not there', () => {
  it.each(CLOSED)(
    '%s is said on it and its sources, once, and taken back as soon as a token is minted',
    async (code) => {
      access = fail(problem(code));
      expect(await polled()).toMatchObject({ ok: false, problem: { code } });
      const reason = code.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());
      expect(repository().status.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason }]);
      const { message } = problem(code);
      expect(repositoryView(repository())).toMatchObject({ status: 'not_ready', message });
      const source = () => world.sources.items.get(SOURCE)?.status.conditions;
      expect(source()).toMatchObject([
        { type: 'Ready', status: 'False', reason, message },
        { type: 'Readable', status: 'False' },
      ]);
      const writes = world.repositories.writes.length;
      await polled();
      expect(world.repositories.writes).toHaveLength(writes);

      access = open;
      expect((await polled()).ok).toBe(true);
      expect(repositoryView(repository())).toMatchObject({ status: 'ready' });
      expect(source()?.some(({ status }) => status === 'False') ?? false).toBe(false);
    },
  );
});

describe('a status that is owed to a forge whose App is not let in', () => {
  it('waits a minute while the installation is suspended, and is said when it is back', async () => {
    access = fail(problem('installation_suspended'));
    expect(await report(world.deps, job)).toMatchObject({
      problem: { code: 'installation_suspended', kind: 'waiting', afterMs: 60_000 },
    });
    expect(entry()?.undeliverable).toBeUndefined();
    await desire('success', 'released revision 1');
    access = open;
    expect((await report(world.deps, job)).ok).toBe(true);
    expect(world.posted.map(({ outcome }) => outcome)).toEqual(['success']);
  });

  it.each(LOST)('%s: ends, and nobody tries again', async (code) => {
    await world.sources.updateStatus(SOURCE, ({ status }) => ({
      ...status,
      reports: status.reports?.map((one) => ({ ...one, deployment: {} })),
    }));
    access = fail(problem(code));
    expect((await report(world.deps, job)).ok).toBe(true);
    expect(entry()).toMatchObject({ undeliverable: code, deployment: { undeliverable: code } });
    asked.length = 0;
    world.jobs.length = 0;
    await resync(world.deps);
    expect(world.jobs.filter(({ queue }) => queue === 'report')).toEqual([]);
    expect(asked).toEqual([]);
  });

  it.each(LOST)('%s: gets its last word after all when the App is installed again', async (code) => {
    access = fail(problem(code));
    await polled();
    await report(world.deps, job);
    await desire('success', 'released revision 1');
    await report(world.deps, job);
    expect(entry()?.undeliverable).toBe(code);
    access = open;
    world.jobs.length = 0;
    expect((await polled()).ok).toBe(true);
    expect(world.jobs).toContainEqual({ queue: 'report', ...job });
    await report(world.deps, job);
    expect(world.posted.map(({ outcome }) => outcome)).toEqual(['success']);
    const writes = world.sources.writes.length;
    await polled();
    expect(world.sources.writes).toHaveLength(writes);
  });

  it('is not owed again for another reason', async () => {
    world.forgeAnswers.push(fail(problem('forge_not_found')));
    await report(world.deps, job);
    await polled();
    expect(entry()?.undeliverable).toBe('forge_not_found');
  });

  it.each([...CLOSED, 'invalid_secret', 'forge_unauthorized'] as const)(
    '%s: keeps no source that is removed',
    async (code) => {
      access = fail(problem(code));
      await world.sources.delete(SOURCE, `uid-${SOURCE}`);
      await plan(world.deps, { source: SOURCE }, RUN);
      expect((await report(world.deps, job)).ok).toBe(true);
      expect(entry()).toMatchObject({ desired: { outcome: 'cancelled' }, undeliverable: code });
      await plan(world.deps, { source: SOURCE }, RUN);
      expect([world.sources.items.size, world.repositories.items.size]).toEqual([0, 0]);
    },
  );

  it('waits while the credentials can not be read or used, whatever is wrong with them', async () => {
    access = fail(problem('invalid_secret'));
    expect(await report(world.deps, job)).toMatchObject({ problem: { kind: 'waiting', afterMs: 60_000 } });
    access = fail(problem('forge_unavailable'));
    expect(await report(world.deps, job)).toMatchObject({ problem: { kind: 'transient' } });
    expect(entry()?.undeliverable).toBeUndefined();
  });
});

describe('the plan of a request whose comment and status were refused meanwhile', () => {
  it.each(CLOSED)('%s: is looked at again, and says both', async (code) => {
    const name = `${SOURCE}.7`;
    const desired = { outcome: 'success', description: 'planned' } as const;
    const status: PullRequestPlan['status'] = {
      comment: { desired: 'body', undeliverable: code },
      reports: [{ commit: SHA(2), desired, undeliverable: code, at: world.now.toISOString() }],
    };
    const application = { project: 'acme', environment: 'production', name: 'shop' };
    const spec = { source: SOURCE, repository: 'github-1', number: 7, application };
    await world.plans.create({ name, spec, labels: {}, annotations: {}, finalizers: [] } as never);
    await world.plans.updateStatus(name, () => status);
    await polled();
    expect(world.jobs).toContainEqual({ queue: 'preview', repository: 'github-1', number: 7 });
    expect(world.jobs).toContainEqual({ queue: 'report', plan: name, commit: SHA(2) });
    const now = world.plans.items.get(name)?.status;
    expect([now?.comment?.undeliverable, now?.reports?.[0]?.undeliverable]).toEqual([undefined, undefined]);
  });
});
