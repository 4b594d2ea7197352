import { ok } from '../../kernel/index.ts';
import {
  type Cluster,
  type ClusterRun,
  type ClusterRunCollection,
  ClusterRunSpec,
  ClusterRunStatus,
  GROUP_VERSION,
  type Log,
} from '../../ports/index.ts';
import { codec, decodeOrSkip, type KindCodec } from './decode.ts';
import { AGE, type Definition } from './definition.ts';
import { objectsOf } from './objects.ts';

const RUN: KindCodec<ClusterRun> = codec('ClusterRun', ClusterRunSpec, ClusterRunStatus);

export const CLUSTER_RUN_DEFINITION: Definition = {
  kind: 'ClusterRun',
  plural: 'clusterruns',
  shortName: 'hrun',
  description: 'One run of steps in the cluster that somebody asked for over the API, and what it came to.',
  spec: ClusterRunSpec,
  status: ClusterRunStatus,
  columns: [
    ['Kind', 'string', '.spec.kind'],
    ['Namespace', 'string', '.spec.namespace'],
    ['Target', 'string', '.spec.name'],
    ['State', 'string', '.status.state'],
    ['Outcome', 'string', '.status.outcome'],
    ['Identity', 'string', '.spec.identity', 1],
    AGE,
  ],
  rootRules: [],
  specRules: [{ rule: 'self == oldSelf', message: 'a run is immutable' }],
  selectable: [],
};

/** The runs of the cluster operations in one control namespace, straight from the API server. */
export function createClusterRunStore(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly log: Log;
}): ClusterRunCollection {
  const { cluster, namespace, log } = options;
  const { get, create, updateStatus, delete: remove } = objectsOf<ClusterRun>({ cluster, namespace, codec: RUN });
  return {
    get,
    create,
    updateStatus,
    delete: remove,
    all: async () => {
      const listed = await cluster.list({ apiVersion: GROUP_VERSION, kind: RUN.kind, namespace });
      if (!listed.ok) return listed;
      const runs = listed.value.flatMap((object) => decodeOrSkip(RUN, object, log) ?? []);
      return ok(runs.sort((a, b) => Date.parse(b.spec.requestedAt) - Date.parse(a.spec.requestedAt)));
    },
  };
}
