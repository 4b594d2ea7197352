import { type Answer, isAlreadyDeleted, type ObjectRef } from '../../kernel/index.ts';
import type { DeleteOptions } from '../../ports/index.ts';

type Deleting = { delete(ref: ObjectRef, options: DeleteOptions, signal?: AbortSignal): Promise<Answer<void>> };

/**
 * The one guarded delete, of reconciling and of every run: exactly the object that was read, by its uid. When it is gone, or another one has
 * its name since, that counts as done: what was read is no more, and what is there now is not touched (invariant 8, cluster operations 13).
 */
export async function deleteRead(
  api: Deleting,
  { ref, ...options }: { readonly ref: ObjectRef } & Pick<DeleteOptions, 'uid' | 'propagation'>,
  signal?: AbortSignal,
): Promise<Answer<void>> {
  const answer = await api.delete(ref, options, signal);
  return answer.ok || isAlreadyDeleted(answer.failure) ? { ok: true, value: undefined } : answer;
}
