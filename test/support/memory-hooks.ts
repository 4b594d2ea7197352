import { ok, type Problem, type Result } from '../../src/kernel/index.ts';
import type { ForgeDelivery, ForgeHook, ForgeHooks, WantedHook } from '../../src/ports/index.ts';

/** Webhooks of one repository at a forge that a test can change as people do. */
export type MemoryHooks = ForgeHooks & {
  readonly items: Map<string, ForgeHook>;
  /** The secret each hook uses. */
  readonly secrets: Map<string, string>;
  delivered: ForgeDelivery[];
  /** What the forge answers to everything instead. */
  refusal: Problem | undefined;
  /** Called when a test delivery is ordered; answers a refusal. */
  onTest: (id: string) => Problem | undefined;
  readonly calls: string[];
};

export function memoryHooks(): MemoryHooks {
  const items = new Map<string, ForgeHook>();
  const secrets = new Map<string, string>();
  const calls: string[] = [];
  const run = async <T>(call: string, act: () => T): Promise<Result<T>> => {
    calls.push(call);
    return hooks.refusal === undefined ? ok(act()) : { ok: false, problem: hooks.refusal };
  };
  const put = (id: string, { url, events, secret }: WantedHook): ForgeHook => {
    const hook = { id, url, events, sendsMore: false, state: 'active', verifiesTls: true, isJson: true } as const;
    items.set(id, hook);
    secrets.set(id, secret);
    return hook;
  };
  const hooks: MemoryHooks = {
    ...{ items, secrets, calls, delivered: [], refusal: undefined, onTest: () => undefined },
    list: () => run('list', () => [...items.values()]),
    create: (_repository, wanted) => run('create', () => put(String(items.size + 1), wanted)),
    update: (_repository, id, wanted) => run(`update ${id}`, () => put(id, wanted)),
    remove: (_repository, id) => run(`remove ${id}`, () => void items.delete(id)),
    test: async (_repository, id) => {
      const tested = await run(`test ${id}`, () => undefined);
      const refusal = tested.ok ? hooks.onTest(id) : undefined;
      return refusal === undefined ? tested : { ok: false, problem: refusal };
    },
    deliveries: () => run('deliveries', () => hooks.delivered),
  };
  return hooks;
}
