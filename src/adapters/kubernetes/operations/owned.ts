import {
  type Answer,
  type CallFailure,
  displayRef,
  type FailureClass,
  isMissing,
  isOwnedBy,
  isRaced,
  isRefusedWrite,
  type Manifest,
  type ObjectRef,
  refOf,
  withAssigned,
} from '../../../kernel/index.ts';
import { OPERATION_LABELS } from '../../../ports/cluster-operations/index.ts';
import type { ClusterApi } from '../api.ts';
import { deleteRead } from '../delete-read.ts';
import { rightOn } from '../kinds.ts';
import { tellRefusal } from '../refusal.ts';
import { classify, denied, failed, type StepFailure } from './classify.ts';
import type { Context } from './context.ts';

/** What every write of a request's own objects shares. */
export type Owner = {
  readonly api: ClusterApi;
  readonly context: Context;
  /** Nothing without this id in its label is ever changed or deleted. */
  readonly instanceId: string;
};

/** Whether an object is the instance's own. */
export function isOwned(object: unknown, instanceId: string): boolean {
  return isOwnedBy(object, { [OPERATION_LABELS.instance]: instanceId });
}

/** What is there under a name; undefined for nothing. */
export async function readObject(owner: Owner, ref: ObjectRef): Promise<Answer<Manifest | undefined>> {
  const answer = await owner.api.get(ref, owner.context.signal);
  return !answer.ok && isMissing(answer.failure) ? { ok: true, value: undefined } : answer;
}

export type Written =
  | { readonly ok: true; readonly value: Manifest }
  | { readonly ok: false; readonly failure: StepFailure };

/** Turns of writing and reading again before an object that keeps vanishing and coming back is given up. */
const MAX_TURNS = 5;

/**
 * Replaces the object known to be there and ours, or creates it (cluster operations 6). A conflict is read again once and decided by what
 * is there now; the second one ends the step. `bodyOver` makes the body to write over a live object, or refuses to.
 */
export async function upsert(
  owner: Owner,
  wanted: Manifest,
  known: Manifest | undefined,
  bodyOver: (live: Manifest) => Manifest | StepFailure = (live) => over(wanted, live),
): Promise<Written> {
  let live = known;
  let conflicts = 0;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const body = live === undefined ? wanted : bodyOver(live);
    if (isFailure(body)) return { ok: false, failure: body };
    const answer = await put(owner, body, live !== undefined);
    if (answer.ok) return answer;
    const isRace = isRaced(answer.failure);
    if (!isRace && (live === undefined || !isMissing(answer.failure))) {
      const verb = live === undefined ? 'create' : 'update';
      return { ok: false, failure: await refusedWrite(owner, { wanted, verb }, answer.failure) };
    }
    if (isRace) conflicts += 1;
    if (conflicts === 2) break;
    const again = await readOwn(owner, wanted);
    if (!again.ok) return again;
    live = again.value;
  }
  return { ok: false, failure: failed('conflict', displayRef(refOf(wanted))) };
}

function put({ api, context }: Owner, body: Manifest, exists: boolean): Promise<Answer<Manifest>> {
  return exists ? api.replace(body, context.signal) : api.create(body, context.signal);
}

type ReadOwn =
  | { readonly ok: true; readonly value: Manifest | undefined }
  | { readonly ok: false; readonly failure: StepFailure };

/** What is there now, or that it is someone else's. */
async function readOwn(owner: Owner, wanted: Manifest): Promise<ReadOwn> {
  const ref = refOf(wanted);
  const answer = await readObject(owner, ref);
  if (!answer.ok) return { ok: false, failure: classify(answer.failure, owner.context) };
  const { value } = answer;
  if (value === undefined || isOwned(value, owner.instanceId)) return { ok: true, value };
  return { ok: false, failure: denied('name_taken', displayRef(ref)) };
}

function isFailure(body: Manifest | StepFailure): body is StepFailure {
  return 'outcome' in body;
}

/** Annotations under this prefix are ours alone. */
const PREFIX = 'hakopod.io/';

/**
 * The body that replaces a live object: all of ours, what the API server chose for it, and what others keep on it, such as a removal under
 * way. Without their annotations, such as the controller's own, every write would look like a change.
 */
export function over(wanted: Manifest, live: Manifest): Manifest {
  const { resourceVersion = '', finalizers, ownerReferences, annotations = {} } = live.metadata;
  const foreign = Object.entries(annotations).filter(([key]) => !key.startsWith(PREFIX));
  const metadata = {
    ...wanted.metadata,
    annotations: { ...Object.fromEntries(foreign), ...wanted.metadata.annotations },
    resourceVersion,
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
  return { ...withAssigned(wanted, live), metadata };
}

/** A budget or a namespace on its way out refuses as a policy does: a run does not wait for either. */
const BY_ADMISSION: ReadonlySet<FailureClass> = new Set<FailureClass>(['admission_denied', 'terminating', 'uncounted']);

/** A refused write told apart: an address nobody can have, a missing verb, or a policy (cluster operations 0.3). */
export async function refusedWrite(
  { api, context }: Owner,
  { wanted, verb }: { readonly wanted: Manifest; readonly verb: 'create' | 'update' | 'delete' },
  failure: CallFailure,
): Promise<StepFailure> {
  const ref = refOf(wanted);
  const { fields = [] } = failure;
  const isAddress = fields.some((field) => field === 'spec.clusterIP' || field.startsWith('spec.clusterIPs'));
  if (ref.kind === 'Service' && failure.status === 422 && isAddress)
    return denied('service_ip_unavailable', displayRef(ref));
  if (!isRefusedWrite(failure)) return classify(failure, context);
  const told = await tellRefusal({ review: (right) => api.review(right, context.signal) }, failure, [
    rightOn(ref, verb),
  ]);
  if (BY_ADMISSION.has(told.kind)) return denied('admission_denied', displayRef(ref));
  return told.kind === 'forbidden' ? denied('forbidden') : classify(told.failure, context);
}

/** Deletes exactly the object read, if it still is that one; why it could not, when so. */
export async function removeRead(
  owner: Owner,
  object: Manifest,
  propagation: 'Foreground' | 'Background',
): Promise<CallFailure | undefined> {
  const { uid = '' } = object.metadata;
  const answer = await deleteRead(owner.api, { ref: refOf(object), uid, propagation }, owner.context.signal);
  return answer.ok ? undefined : answer.failure;
}
