import { beforeEach, describe, expect, it } from 'vitest';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import { createPace, createPause } from '../../src/pipeline/index.ts';
import type { BudgetLimits, ForgeBudget, ForgeRepository } from '../../src/ports/index.ts';

const standard = { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' };
const github: ForgeRepository = { forge: 'github', project: 'acme/shop', repositoryId: '1', token: 'canary-token' };
const gitlab: ForgeRepository = { ...github, forge: 'gitlab' };

let taken: { readonly installation: string; readonly points: number; readonly limits: BudgetLimits | undefined }[];
let pauses: { readonly installation: string; readonly ms: number }[];
let waitMs: number;
let pace: ReturnType<typeof createPace>;

beforeEach(() => {
  [taken, pauses, waitMs] = [[], [], 0];
  const budget: ForgeBudget = {
    take: async (installation, points, limits) => {
      taken.push({ installation, points, limits });
      return waitMs;
    },
    pause: async (installation, ms) => void pauses.push({ installation, ms }),
  };
  pace = createPace(budget, standard);
});

const done = async () => ok('done');

describe('calls to a forge', () => {
  it('cost what the public forges count', async () => {
    for (const [repository, kind] of [
      [github, 'read'],
      [github, 'write'],
      [gitlab, 'write'],
    ] as const)
      expect(await pace(repository, kind, done)).toEqual(ok('done'));
    expect(taken.map(({ points, limits }) => [points, limits?.capacity])).toEqual([
      [1, 900],
      [5, 900],
      [1, 2000],
    ]);
  });

  it('are limited by the answers alone where the forge is one of their own', async () => {
    await pace({ ...github, apiUrl: 'https://github.example.com/api/v3' }, 'write', done);
    expect(taken[0]?.limits).toBeUndefined();
  });

  it('are not made when it is not their turn', async () => {
    waitMs = 1234;
    let made = 0;
    const result = await pace(github, 'write', async () => {
      made += 1;
      return ok(undefined);
    });
    expect([made, result]).toMatchObject([
      0,
      { problem: { code: 'forge_rate_limited', kind: 'waiting', afterMs: 1234 } },
    ]);
  });

  it('of the same installation all wait when the forge says so, and only then', async () => {
    const limited = fail(problem('forge_rate_limited', undefined, { afterMs: 7000 }));
    expect(await pace(github, 'read', async () => limited)).toEqual(limited);
    await pace(github, 'read', async () => fail(problem('forge_rate_limited')));
    await pace(github, 'read', async () => fail(problem('forge_unavailable')));
    await pace(github, 'read', async () => fail(problem('forge_unauthorized')));
    expect(pauses.map(({ ms }) => ms)).toEqual([7000, 60_000]);
    expect(pauses[0]?.installation).toBe(taken[0]?.installation);
  });

  it('of an installation with nothing left wait, whatever the answer was that said so', async () => {
    createPause(
      { take: async () => 0, pause: async (installation, ms) => void pauses.push({ installation, ms }) },
      standard,
    )(github, 4000);
    await pace(github, 'read', done);
    expect(pauses).toEqual([{ installation: taken[0]?.installation, ms: 4000 }]);
  });

  it('count per installation: its tokens share, others and other forges do not', async () => {
    const app = { ...github, installation: '42' };
    const calls: readonly ForgeRepository[] = [
      github,
      { ...github, project: 'acme/other', repositoryId: '2' },
      { ...github, apiUrl: 'https://api.github.com/' },
      { ...app, token: 'one' },
      { ...app, token: 'two' },
      { ...github, token: 'another' },
      { ...github, apiUrl: 'https://github.example.com/api/v3' },
      gitlab,
    ];
    for (const repository of calls) await pace(repository, 'read', done);
    const [a, b, c, d, e, ...others] = taken.map(({ installation }) => installation);
    expect([b, c, e]).toEqual([a, a, d]);
    expect(new Set([a, d, ...others]).size).toBe(5);
    expect(JSON.stringify(taken)).not.toContain('canary');
  });
});
