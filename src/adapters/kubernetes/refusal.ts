import { type Answer, type CallFailure, type FailureClass, failureClass } from '../../kernel/index.ts';
import type { Right } from './api.ts';

type Asking = { review(right: Right): Promise<Answer<boolean>> };

/** What a refused write means. `right`: the one that is missing. `failure`: of the write, or of the question, which is never taken for a no. */
export type Refused = { readonly kind: FailureClass; readonly failure: CallFailure; readonly right?: Right };

/**
 * Tells the 403 of a write apart (cluster operations 0.3): the account is asked for each right the write needs. One it has not is `forbidden`;
 * with all of them a policy refused, `admission_denied`. Only a refusal pays for the question. Every other failure is its own class.
 */
export async function tellRefusal(api: Asking, failure: CallFailure, rights: readonly Right[]): Promise<Refused> {
  const kind = failureClass(failure);
  if (kind !== 'refused') return { kind, failure };
  for (const right of rights) {
    const review = await api.review(right);
    if (!review.ok) return { kind: failureClass(review.failure), failure: review.failure };
    if (!review.value) return { kind: 'forbidden', failure, right };
  }
  return { kind: 'admission_denied', failure };
}
