import { at, displayRef, isRaced, type Manifest, refOf, withoutAssigned } from '../../../kernel/index.ts';
import { OPERATION_ANNOTATIONS } from '../../../ports/cluster-operations/index.ts';
import { classify, failed, type StepFailure } from './classify.ts';
import type { Standing } from './deploy-precondition.ts';
import { isOwned, type Owner, over, readObject, refusedWrite, removeRead } from './owned.ts';
import type { RenderedService } from './render.ts';

/** One object of a service: as it stood before the run, and as the run wrote it. */
type Change = { readonly before: Manifest | undefined; readonly written: Manifest | undefined };

/**
 * Puts one service back to what it was before the run, after its rollout did not become ready: bodies read at the precondition are written
 * again, what the run removed is made again, what it made is removed. Claims stay. An object that is not the one this run wrote any more
 * belongs to whoever wrote it since, and is a `conflict`. What can not be put back does not keep the rest from it.
 */
export async function restoreService(
  owner: Owner,
  {
    service,
    standing,
    deployment,
  }: { readonly service: RenderedService; readonly standing: Standing; readonly deployment: string },
): Promise<StepFailure | undefined> {
  const { configMap, secret, network } = service;
  const changes: readonly Change[] = [
    { before: standing.configMap, written: configMap },
    { before: standing.secret, written: secret },
    { before: standing.deployment, written: service.deployment },
    { before: standing.network, written: network },
  ];
  let first: StepFailure | undefined;
  for (const change of changes) {
    const failure = await restore(owner, change, deployment);
    first ??= failure;
  }
  return first;
}

/** Turns of reading and writing: a rollout that fails is one whose status changes all the time. */
const MAX_TURNS = 5;

async function restore(owner: Owner, change: Change, deployment: string): Promise<StepFailure | undefined> {
  let end: StepFailure | 'again' | undefined = 'again';
  for (let turn = 0; turn < MAX_TURNS && end === 'again'; turn += 1) end = await restoreOnce(owner, change, deployment);
  const one = change.written ?? change.before;
  if (end !== 'again') return end;
  return one === undefined ? undefined : failed('conflict', displayRef(refOf(one)));
}

async function restoreOnce(
  owner: Owner,
  { before, written }: Change,
  deployment: string,
): Promise<StepFailure | 'again' | undefined> {
  const one = written ?? before;
  if (one === undefined) return undefined;
  const answer = await readObject(owner, refOf(one));
  if (!answer.ok) return classify(answer.failure, owner.context);
  const live = answer.value;
  if (live === undefined) return before === undefined ? undefined : make(owner, before);
  const isOurs =
    isOwned(live, owner.instanceId) &&
    (written === undefined || at(live, 'metadata', 'annotations', OPERATION_ANNOTATIONS.deployment) === deployment);
  // Removed by this run and made again by someone else, or written by someone else since.
  if (!isOurs || written === undefined) return failed('conflict', displayRef(refOf(one)));
  if (before === undefined) {
    const failure = await removeRead(owner, live, 'Background');
    return failure === undefined ? undefined : refusedWrite(owner, { wanted: live, verb: 'delete' }, failure);
  }
  // The address of a Service is the live one's, should it have been made again since.
  const body = over(before.kind === 'Service' ? withoutAssigned(bare(before)) : bare(before), live);
  const put = await owner.api.replace(body, owner.context.signal);
  if (put.ok) return undefined;
  if (isRaced(put.failure)) return 'again';
  return refusedWrite(owner, { wanted: body, verb: 'update' }, put.failure);
}

async function make(owner: Owner, before: Manifest): Promise<StepFailure | undefined> {
  const body = bare(before);
  const answer = await owner.api.create(body, owner.context.signal);
  if (answer.ok) return undefined;
  if (isRaced(answer.failure)) return failed('conflict', displayRef(refOf(body)));
  return refusedWrite(owner, { wanted: body, verb: 'create' }, answer.failure);
}

/** A body without what the API server alone writes. */
function bare({ status: _, ...body }: Manifest): Manifest {
  const { name, namespace, labels, annotations } = body.metadata;
  return {
    ...body,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
  } as Manifest;
}
