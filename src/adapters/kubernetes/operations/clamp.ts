import {
  OPERATION_LIMITS,
  SNAPSHOT_LISTS,
  type Snapshot,
  type TruncatedList,
} from '../../../ports/cluster-operations/index.ts';

type Lists = Pick<Snapshot, 'nodes' | 'namespaces' | 'workloads' | 'pods' | 'services' | 'claims' | 'storageClasses'>;
type ListName = keyof Lists;

const CAPS: Readonly<Record<ListName, number>> = {
  nodes: OPERATION_LIMITS.nodes,
  namespaces: OPERATION_LIMITS.namespaces,
  workloads: OPERATION_LIMITS.workloads,
  pods: OPERATION_LIMITS.pods,
  services: OPERATION_LIMITS.snapshotServices,
  claims: OPERATION_LIMITS.snapshotClaims,
  storageClasses: OPERATION_LIMITS.storageClasses,
};

/** Of two lists of one length the earlier is shortened first; storage classes are few and stay. */
const SHRUNK: readonly ListName[] = ['pods', 'workloads', 'services', 'claims', 'namespaces', 'nodes'];

function reportedAs(list: ListName): TruncatedList {
  return list === 'storageClasses' ? 'storage_classes' : list;
}

/** Cuts every list at its cap, then whatever is longest until the whole fits into `bytes`; what was cut is named in `truncated`. */
export function clamp(snapshot: Snapshot, bytes: number = OPERATION_LIMITS.snapshotBytes): Snapshot {
  const truncated = new Set(snapshot.truncated);
  const cut = (lists: Lists, list: ListName, length: number): Lists => {
    if (lists[list].length <= length) return lists;
    truncated.add(reportedAs(list));
    return { ...lists, [list]: lists[list].slice(0, length) };
  };
  let lists: Lists = snapshot;
  for (const list of Object.keys(CAPS) as ListName[]) lists = cut(lists, list, CAPS[list]);
  const all = (): Snapshot => ({
    ...snapshot,
    ...lists,
    truncated: SNAPSHOT_LISTS.filter((list) => truncated.has(list)),
  });
  while (bytesOf(all()) > bytes) {
    const longest = SHRUNK.reduce((best, list) => (lists[list].length > lists[best].length ? list : best), 'pods');
    if (lists[longest].length === 0) break;
    lists = cut(lists, longest, Math.floor((lists[longest].length * 3) / 4));
  }
  return all();
}

/** Bytes of the snapshot as JSON. */
export function bytesOf(snapshot: Snapshot): number {
  return Buffer.byteLength(JSON.stringify(snapshot));
}
