import { describe, ok, type Problem, type Result } from '../kernel/index.ts';
import type { GitSource } from '../ports/index.ts';
import { readyCondition } from '../status/index.ts';
import type { Deps } from './context.ts';
import { grantWarning } from './grant-expiry.ts';

type Conditions = GitSource['status']['conditions'];

/** Type of the condition that says whether the ref can be read; `Ready` follows it while it is False. */
const READABLE = 'Readable';

/**
 * Says on the sources that their ref can not be read, and why: there is no commit to say it on. A wrong token or a moved repository is
 * then seen in `sources list` and `kubectl get`, not only in a worker's log. Writes only what changes.
 */
export async function markUnreadable(deps: Deps, sources: readonly GitSource[], p: Problem): Promise<Result<void>> {
  return mark(deps, sources, (source) => unreadable(source, p, deps.clock.now()));
}

/** Takes that back once the ref was read. */
export async function markReadable(deps: Deps, sources: readonly GitSource[]): Promise<Result<void>> {
  return mark(deps, sources.filter(isUnreadable), (source) => readable(source, deps.clock.now()));
}

/** The conditions of a source whose ref can not be read; the same list when they say so already. */
export function unreadable(source: GitSource, p: Problem, now: Date): Conditions {
  const { conditions } = source.status;
  const next = { status: 'False', reason: p.code, message: describe(p), now, generation: source.generation } as const;
  const ready = readyCondition(conditions, next);
  const known = conditions?.find((condition) => condition.type === READABLE);
  if (known?.status === 'False' && known.reason === ready.reason) return conditions;
  return [ready, { ...ready, type: READABLE }, ...grantWarning(conditions)];
}

function isUnreadable(source: GitSource): boolean {
  return source.status.conditions?.some(({ type, status }) => type === READABLE && status === 'False') === true;
}

/** `Ready` is again what the last plan said. */
function readable(source: GitSource, now: Date): Conditions {
  const { planned, conditions } = source.status;
  if (planned === undefined) return [...grantWarning(conditions)];
  const isGood = planned.code === undefined;
  return [
    readyCondition(conditions, {
      status: planned.outcome === 'waiting' ? 'Unknown' : isGood ? 'True' : 'False',
      reason: planned.code ?? planned.outcome,
      message: planned.message ?? `planned ${planned.commit}`,
      now,
      generation: source.generation,
    }),
    ...grantWarning(conditions),
  ];
}

async function mark(
  deps: Deps,
  sources: readonly GitSource[],
  change: (source: GitSource) => Conditions,
): Promise<Result<void>> {
  for (const source of sources) {
    const written = await deps.store.sources.updateStatus(source.name, (current) => {
      const conditions = change(current);
      return conditions === current.status.conditions ? undefined : { ...current.status, conditions };
    });
    if (!written.ok && written.problem.code !== 'not_found') return written;
  }
  return ok(undefined);
}
