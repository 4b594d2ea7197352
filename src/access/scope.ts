import { fail, NAME, ok, problem, type Result } from '../kernel/index.ts';

/** Where something holds, or what is acted on; an absent part of a holder is "any", an absent part of a target is "all of them". */
export type Scope = {
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly application?: string | undefined;
};

/** The scope of everything. */
export const ANYWHERE: Scope = {};

const PARTS = ['project', 'environment', 'application'] as const;

/** Whether what holds in `holder` reaches the whole of `target` (facts 9.3). A target wider than the holder is not reached. */
export function covers(holder: Scope, target: Scope): boolean {
  return PARTS.every((part) => holder[part] === undefined || holder[part] === target[part]);
}

/** True for the scope of everything. */
export function isUnscoped(scope: Scope): boolean {
  return PARTS.every((part) => scope[part] === undefined);
}

/** Checks the parts' form, and that none is named without the one it lies in. `at` is the path of the scope in the request. */
export function checkScope(scope: Scope, at = 'scope'): Result<Scope> {
  for (const [index, part] of PARTS.entries()) {
    const value = scope[part];
    if (value === undefined) continue;
    const outer = PARTS[index - 1];
    if (!NAME.test(value)) return fail(problem('invalid_request', 'is not a valid name', { at: `${at}.${part}` }));
    if (outer !== undefined && scope[outer] === undefined)
      return fail(problem('invalid_request', `needs ${at}.${outer} beside it`, { at: `${at}.${part}` }));
  }
  return ok(scope);
}
