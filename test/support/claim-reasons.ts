import type { Claims } from './claims.ts';

type Reasons = { readonly [Name in keyof Claims]?: string | Partial<Record<Claims[Name][number], string>> };

const FILE = 'reads a file of the pod and asks no cluster';
const BEFORE = 'is judged before a cluster is asked';
const PURE = 'is made without a cluster; that a real one takes it, the rows of deploy and create show';
const TIMES = 'is about when calls are made, which a clock of the test tells better than a busy cluster';
const SILENT = 'needs an API server that does not answer, which a real one is only by accident';

/** Why a claim is not shown on a real cluster: of a whole operation, or of one claim. */
export const NOT_ON_REAL: Reasons = {
  ownNamespace: { unreadable: FILE, not_a_namespace: FILE },
  inCluster: { not_in_cluster: 'is found out before a cluster is asked' },
  fromClients: { poll: TIMES },
  requests: BEFORE,
  machine: {
    runtime_error: SILENT,
    pod_security_invalid: 'has no way there: a real API server takes no level it does not know',
    review_error: 'needs an API server that answers everything but a review',
  },
  rollout: {
    stale_condition: 'needs the moment in which a controller still says what it said of the rollout before',
    poll: TIMES,
  },
  render: PURE,
  logs: {
    budget: TIMES,
    copy_failure: 'needs a connection that breaks in the middle of an answer',
  },
  openExec: {
    exec_setup: SILENT,
    review_error: 'needs an API server that answers everything but a review',
  },
  operate: { runtime_error: SILENT },
  snapshot: {
    concurrent: TIMES,
    no_version: 'has no way there: every account may read the version',
  },
  manifest: { token_once: PURE, namespaces_limit: PURE },
};

/** Why a claim is shown on a real cluster alone. */
export const NOT_EMBEDDED: Reasons = {
  snapshot: { two_thousand_pods: 'is about a real API server of that size' },
  manifest: { as_account: 'is about real authorisation' },
};

/** The reason for one claim. */
export function reasonOf(reasons: Reasons, fn: string, claim: string): string | undefined {
  const found: unknown = reasons[fn as keyof Claims];
  if (typeof found === 'string' || found === undefined) return found as string | undefined;
  return (found as Readonly<Record<string, string>>)[claim];
}
