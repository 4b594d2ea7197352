import { keyOfName, type Manifest, ok, type Result } from '../../kernel/index.ts';
import type { NamedCredentials } from '../../ports/index.ts';
import { schedulableArchitectures } from '../../reconcile/index.ts';
import type { Deps } from '../context.ts';
import type { Session } from './session.ts';

/** What images of an application are resolved with: saved credentials of its environment, and what the nodes are. */
export type ImageAccess = {
  /** By name. */
  readonly credentials: readonly NamedCredentials[];
  /** Of every node that pods may be scheduled on; empty while that is not known. */
  readonly architectures: readonly string[];
};

const NODES = { apiVersion: 'v1', kind: 'Node' } as const;

/** Reads both; nothing of it is kept beyond the release's step. */
export async function imageAccess(session: Session): Promise<Result<ImageAccess>> {
  const [credentials, nodes] = await Promise.all([savedCredentials(session), listNodes(session.deps)]);
  if (!credentials.ok) return credentials;
  if (!nodes.ok) return nodes;
  return ok({ credentials: credentials.value, architectures: schedulableArchitectures(nodes.value) });
}

/** The saved registry credentials of the application's environment (facts 5.8), by name. */
export async function savedCredentials({ deps, application }: Session): Promise<Result<readonly NamedCredentials[]>> {
  const { project, environment } = keyOfName(application);
  return deps.registries.credentials({ project, environment });
}

function listNodes({ cluster }: Deps): Promise<Result<readonly Manifest[]>> {
  return cluster.list(NODES);
}
