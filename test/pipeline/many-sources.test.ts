import { beforeEach, describe, expect, it } from 'vitest';
import type { RefName, RepoPath } from '../../src/kernel/index.ts';
import { poll, sync } from '../../src/pipeline/index.ts';
import { preview } from '../../src/pipeline/preview/preview.ts';
import { headRefs, movedRequests } from '../../src/pipeline/preview/sweep.ts';
import { addSource, file, MAIN, type Memory, memory, PULL, RUN, SHA, SOURCE } from '../support/memory.ts';

const REQUEST = { repository: 'github-1', number: 7 };
/** Names of applications that are not `shop`. */
const others = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `app${String.fromCharCode(97 + n)}`);
const pathOf = (app: string): RepoPath => (app === 'shop' ? 'hakopod.toml' : `apps/${app}.toml`) as RepoPath;

let world: Memory;
let asked: readonly (readonly RefName[])[];

async function bindAll(count: number): Promise<void> {
  for (const app of others(count)) await addSource(world, app, pathOf(app));
}

beforeEach(async () => {
  world = await memory();
  const asking: (readonly RefName[])[] = [];
  asked = asking;
  const { listRefs } = world.deps.git;
  Object.assign(world.deps.git, {
    listRefs: async (...args: Parameters<typeof listRefs>) => {
      asking.push(args[1]);
      return listRefs(...args);
    },
  });
});

describe('a repository with many sources', () => {
  /** All have planned this commit. */
  async function planned(n: number): Promise<void> {
    const at = world.now.toISOString();
    const seen = { commit: SHA(n), generation: 1, at };
    for (const name of world.sources.items.keys())
      await world.sources.updateStatus(name, ({ status }) => ({
        ...status,
        seen,
        planned: { ...seen, grantRevision: 1, outcome: 'accepted' },
      }));
    const refs = [MAIN, 'refs/heads/next'].map((name) => ({ name, commit: name === MAIN ? SHA(n) : '', syncedAt: at }));
    await world.repositories.updateStatus('github-1', ({ status }) => ({ ...status, refs }));
  }

  it('is asked once for a commit, however many are bound to its branch, and only what it touches is written to', async () => {
    await bindAll(25);
    await planned(1);
    world.head = SHA(2);
    world.changed = new Set([pathOf('appc')]);
    world.mentions = [{ commit: SHA(2), at: world.now.toISOString() }];
    const writes = world.sources.writes.length;
    expect((await sync(world.deps, { repository: 'github-1', ref: MAIN }, RUN)).ok).toBe(true);
    expect(asked).toEqual([[MAIN]]);
    expect(world.sources.writes.slice(writes)).toEqual(['status acme.production.appc']);
    expect(world.jobs).toEqual([{ queue: 'plan', source: 'acme.production.appc' }]);
  });

  it('is asked once by a poll for all its refs, and a moved one is one job', async () => {
    await bindAll(25);
    const [first = ''] = others(1);
    await world.sources.update(`acme.production.${first}`, ({ spec }) => ({
      spec: { ...spec, ref: 'refs/heads/next' },
    }));
    await planned(1);
    world.head = SHA(2);
    expect((await poll(world.deps, { repository: 'github-1' }, RUN)).ok).toBe(true);
    expect(asked.map((refs) => [...refs].sort())).toEqual([[MAIN, 'refs/heads/next']]);
    expect(world.jobs).toEqual([{ queue: 'sync', repository: 'github-1', ref: MAIN }]);
  });
});

describe('a push', () => {
  it.each(['refs/tags/main', 'refs/heads/release/main', 'refs/heads/mai'])(
    'to %s is nothing to a source of refs/heads/main',
    async (ref) => {
      world.mentions = [{ commit: SHA(5), at: world.now.toISOString() }];
      await sync(world.deps, { repository: 'github-1', ref }, RUN);
      expect(world.jobs).toEqual([]);
      expect(world.sources.items.get(SOURCE)?.status).toEqual({});
    },
  );

  it('to a branch that no source is bound to asks nobody, and its mention goes', async () => {
    world.mentions = [{ commit: SHA(5), at: world.now.toISOString() }];
    expect((await sync(world.deps, { repository: 'github-1', ref: 'refs/heads/change' }, RUN)).ok).toBe(true);
    expect(asked).toEqual([]);
    expect(world.mentions).toEqual([]);
    expect(world.sources.items.get(SOURCE)?.status).toEqual({});
  });

  it('of a tag asks once for the pattern that matches it', async () => {
    const pattern = 'refs/tags/v*';
    await world.sources.update(SOURCE, ({ spec }) => ({ spec: { ...spec, ref: pattern } }));
    await sync(world.deps, { repository: 'github-1', ref: 'refs/tags/v1' }, RUN);
    expect(asked).toEqual([[pattern]]);
  });
});

describe('a pull request', () => {
  /** The head at the forge and the Git server, and what it changes. */
  async function push(n: number, touched: readonly string[]): Promise<void> {
    world.pullHead = SHA(n);
    world.files.set(SHA(n), file(`registry.example.test/shop:${n}`));
    world.changed = new Set(touched.map(pathOf));
    world.pull = {
      ...{
        number: 7,
        state: 'open',
        head: SHA(n),
        ref: PULL,
        base: MAIN,
        fork: false,
        draft: false,
        mergeBase: SHA(1),
      },
      branch: 'refs/heads/change' as RefName,
      updatedAt: world.now.toISOString(),
    };
    expect((await preview(world.deps, REQUEST, RUN)).ok).toBe(true);
  }
  const outcomes = (): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(
      [...world.plans.items.values()].map(({ spec, status }) => [spec.application.name, status.outcome]),
    );

  it('is asked for once and tells up to 20 other sources that they are not touched', async () => {
    await bindAll(20);
    await push(2, ['shop']);
    expect(asked).toHaveLength(1);
    expect(Object.values(outcomes()).sort()).toEqual(['planned', ...Array(20).fill('untouched')]);
  });

  it('tells none of more than 20 others, and is planned for the touched one alone', async () => {
    await bindAll(21);
    await push(2, ['shop']);
    expect(outcomes()).toEqual({ shop: 'planned' });
    expect(world.jobs).toEqual([{ queue: 'report', plan: `${SOURCE}.7`, commit: SHA(2) }]);
  });

  it('that touches nothing says so on 20 sources, and not on 20 more when it is looked at again', async () => {
    await bindAll(25);
    await push(2, []);
    await push(2, []);
    await push(3, []);
    expect(Object.values(outcomes())).toEqual(Array(20).fill('untouched'));
  });

  it('keeps every plan true that it has, so that no poll looks again for ever', async () => {
    await bindAll(25);
    await push(2, ['shop', ...others(25)]);
    await push(3, ['shop']);
    expect([...world.plans.items.values()].map(({ status }) => status.head)).toEqual(Array(26).fill(SHA(3)));
    expect(headRefs(world.deps, 'github-1')).toEqual([PULL]);
    expect(movedRequests(world.deps, 'github-1', new Map([[PULL, SHA(3)]]))).toEqual([]);
  });
});
