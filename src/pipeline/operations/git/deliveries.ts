import { canonicalJson, fail, ok, problem, type Result, sha256 } from '../../../kernel/index.ts';
import type { Delivery, DeliveryOperations } from '../../../ports/api/index.ts';
import {
  commentMentions,
  DELIVERIES_KEPT,
  type DeliveryLog,
  type DeliveryRecord,
  type Job,
  type JobQueue,
  pullRequestOfMentions,
} from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import type { GitDeps } from './context.ts';
import { findRepository } from './repositories.ts';

type DeliveryDeps = GitDeps & { readonly deliveries: DeliveryLog; readonly jobs: JobQueue };

/**
 * What arrived at the webhooks, for whoever manages the repository. Redelivering queues what the delivery queued: the worker resolves the ref
 * or asks for the pull request as it is now, so it may be repeated, and an old delivery brings nothing old back. A comment's command is carried
 * out again, if who wrote it may still ask for it.
 */
export function deliveryOperations(deps: DeliveryDeps): DeliveryOperations {
  return {
    list: async (principal, { name, ...page }) => {
      const found = await findRepository(deps, principal, name);
      if (!found.ok) return found;
      const recorded = await deps.deliveries.recent(name, DELIVERIES_KEPT);
      if (!recorded.ok) return recorded;
      // The same line twice is shown once. The pager goes by ascending keys, and the newest come first.
      const byKey = new Map(recorded.value.map((record) => [orderKey(record), record]));
      const items = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
      const list = { name: 'deliveries', filters: { name }, items, keyOf: ([key]: (typeof items)[number]) => key };
      const paged = deps.pager.of(list, page);
      return paged.ok
        ? ok({ ...paged.value, items: paged.value.items.map(([, record]) => deliveryView(record)) })
        : paged;
    },

    redeliver: async (principal, { name, id }, info) => {
      const found = await findRepository(deps, principal, name);
      if (!found.ok) return found;
      const recorded = await deps.deliveries.recent(name, DELIVERIES_KEPT);
      if (!recorded.ok) return recorded;
      const record = recorded.value.find((one) => idOf(one) === id);
      if (record === undefined) return fail(problem('not_found', 'there is no such delivery on record any more'));
      const queued = await again(deps, record);
      if (!queued.ok) return queued;
      const resource = { kind: 'GitRepository', ...found.value.spec.scope, name };
      await audited(deps, { principal, info }, { action: 'delivery.redeliver', resource });
      return ok(deliveryView(record));
    },
  };
}

/** Later than any delivery, so that what is left of it gets smaller as time goes on. */
const END_OF_TIME_MS = 9_999_999_999_999;

function orderKey(record: DeliveryRecord): string {
  return `${END_OF_TIME_MS - Date.parse(record.at)} ${idOf(record)}`;
}

/** A record is never changed, so its digest names it; what forges call theirs may be missing, or the same for a redelivery. */
function idOf(record: DeliveryRecord): string {
  return sha256(canonicalJson(record)).slice(0, 16);
}

/** Queues what the delivery led to, or would have. */
async function again(deps: DeliveryDeps, record: DeliveryRecord): Promise<Result<void>> {
  const job = jobOf(record);
  if (job === undefined) {
    const message = 'the delivery names no ref and no request; `hakopod sources sync` reads the ref of a source';
    return fail(problem('invalid_request', message, { at: 'id' }));
  }
  const { repository, ref, commit } = record;
  if (ref !== undefined && commit !== undefined && isOfComment(ref, pullRequestOfMentions(ref))) {
    const mentioned = await deps.deliveries.mention(repository, ref, { commit, at: deps.clock.now().toISOString() });
    if (!mentioned.ok) return mentioned;
  }
  return deps.jobs.add(job);
}

function jobOf({ repository, ref }: DeliveryRecord): Job | undefined {
  if (ref === undefined) return undefined;
  const number = pullRequestOfMentions(ref);
  return number === undefined ? { queue: 'sync', repository, ref } : { queue: 'preview', repository, number };
}

function deliveryView(record: DeliveryRecord): Delivery {
  const { deliveryId, ref, commit, at } = record;
  const number = ref === undefined ? undefined : pullRequestOfMentions(ref);
  return {
    id: idOf(record),
    ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    ...judgement(record),
    ...(ref === undefined || number !== undefined ? {} : { ref }),
    ...(number === undefined ? {} : { pull_request: number }),
    ...(commit === undefined ? {} : isOfComment(ref, number) ? { comment: commit } : { commit_sha: commit }),
    redeliverable: jobOf(record) !== undefined,
    at,
  };
}

/** A comment's id is kept in the place of a commit. */
function isOfComment(ref: string | undefined, number: number | undefined): boolean {
  return number !== undefined && ref === commentMentions(number);
}

function judgement({ verdict }: DeliveryRecord): Pick<Delivery, 'verdict' | 'reason'> {
  switch (verdict) {
    case 'accepted':
    case 'duplicate':
      return { verdict };
    case 'refused':
      return { verdict, reason: 'signature' };
    default:
      return { verdict: 'ignored', reason: verdict };
  }
}
