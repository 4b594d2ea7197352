import { LOCAL, type Principal } from '../../src/access/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import { authorityBehind } from '../../src/pipeline/authority.ts';
import { createPager } from '../../src/pipeline/operations/page.ts';
import { createAuthenticator } from '../../src/pipeline/operations/people/index.ts';
import { type Memory, memory } from './memory.ts';
import type { MemoryPeople } from './people.ts';

export const INFO = { id: 'f'.repeat(32), origin: 'api' } as const;
export const ADMIN = LOCAL;

/** What the operations on people, environments and the installation work with, in memory. */
export async function operationsWorld() {
  const world: Memory = await memory();
  let counter = 0;
  const people = world.deps as unknown as MemoryPeople;
  const deps = {
    ...world.deps,
    ...people,
    // Different each time, and known to the test.
    random: {
      hex: (bytes: number): string => {
        counter += 1;
        return counter.toString(16).padStart(bytes * 2, '0');
      },
    },
    pager: createPager('test'),
    limits: { applicationsPerEnvironment: 200, environmentsPerProject: 3 },
  };
  const authenticate = createAuthenticator(deps);
  return {
    world,
    deps,
    authenticate,
    /** The principal of a raw key; fails the test when it opens nothing. */
    as: async (raw: string): Promise<Principal> => must(await authenticate(`Bearer ${raw}`)),
    /** The principal a key of this identity makes now, without its secret. */
    behind: (identity: string, key: string) => authorityBehind(deps, { identity, key }),
    /** Actions on record, oldest first. */
    actions: (): readonly string[] => people.audit.events.map(({ action }) => action),
    pass: (ms: number): void => {
      world.now = new Date(world.now.getTime() + ms);
    },
  };
}
export type OperationsWorld = Awaited<ReturnType<typeof operationsWorld>>;

/** The value of a success; a failure fails the test with its words. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.problem.code} ${result.problem.at ?? ''}: ${result.problem.message}`);
  return result.value;
}

/** `ok`, or the code of a failure with the field at fault. */
export function codeOf(result: Result<unknown>): string {
  if (result.ok) return 'ok';
  return result.problem.at === undefined ? result.problem.code : `${result.problem.code} ${result.problem.at}`;
}
