import { at, count, type Fields, isFields, records } from '../../../kernel/index.ts';
import { OPERATION_LIMITS, type PodContainer } from '../../../ports/cluster-operations/index.ts';
import { clean } from './clean.ts';

const { podContainers, nameBytes, snapshotImageBytes, shortBytes, restartCount } = OPERATION_LIMITS;

/** How many containers a pod's spec has; the rest of a longer list is not reported. */
export function containerCount(pod: unknown): number {
  return records(at(pod, 'spec', 'containers')).length;
}

/** The first 32 containers of a pod's spec with what its status says of each; `waiting` before there is a status. */
export function podContainersOf(pod: unknown): readonly PodContainer[] {
  const statuses = new Map(records(at(pod, 'status', 'containerStatuses')).map((status) => [status.name, status]));
  return records(at(pod, 'spec', 'containers'))
    .slice(0, podContainers)
    .map((container) => reported(container, statuses.get(container.name)));
}

function reported(container: Fields, status: Fields | undefined): PodContainer {
  const state = stateOf(status);
  const reason = clean(at(status, 'state', state, 'reason'), shortBytes);
  return {
    name: clean(container.name, nameBytes),
    image: clean(container.image, snapshotImageBytes),
    imageId: clean(status?.imageID, snapshotImageBytes),
    state,
    ...(reason === '' || state === 'running' ? {} : { reason }),
    ready: status?.ready === true,
    restarts: Math.min(count(status?.restartCount) ?? 0, restartCount),
  };
}

function stateOf(status: Fields | undefined): PodContainer['state'] {
  if (isFields(at(status, 'state', 'running'))) return 'running';
  return isFields(at(status, 'state', 'terminated')) ? 'terminated' : 'waiting';
}
