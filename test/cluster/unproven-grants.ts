const PULL_REQUESTS = 'plans of pull requests; test/e2e/pull-request.test.ts';
const RACE = 'read or written again after somebody else was faster';
const RETENTION = 'changes beyond those that are kept; test/contracts/access-store.contract.ts';
const REMOVAL = 'an application without claims that somebody removes; test/pipeline/release-order.test.ts';
const DOMAINS = 'custom domains, which these pushes have none of; test/cluster/endpoints.test.ts';
const HISTORY = 'only beyond the ten releases that are kept';

/** Verbs of the chart's roles that the pushes of `push.test.ts` do not come to use, each with what it is for. */
export const UNPROVEN: Readonly<Record<string, string>> = {
  'create hakopod.io/plans': PULL_REQUESTS,
  'delete hakopod.io/plans': PULL_REQUESTS,
  'get hakopod.io/plans': PULL_REQUESTS,
  'update hakopod.io/plans/status': PULL_REQUESTS,
  'get hakopod.io/domainclaims': DOMAINS,
  'create hakopod.io/domainclaims': DOMAINS,
  'update hakopod.io/domainclaims': DOMAINS,
  'delete hakopod.io/domainclaims': DOMAINS,
  'update hakopod.io/domainclaims/status': DOMAINS,
  'delete namespaces': REMOVAL,
  'delete persistentvolumeclaims':
    'volumes that whoever removes an application names; test/pipeline/removal-volumes.test.ts',
  'delete hakopod.io/auditrecords': RETENTION,
  'delete hakopod.io/buildruns': HISTORY,
  'delete hakopod.io/releases': HISTORY,
  'get persistentvolumeclaims': RACE,
  'get persistentvolumes': 'where the volume of an application that has one is; test/adapters/kubernetes/capacity',
  'get resourcequotas': RACE,
  'patch batch/jobs': RACE,
  'update secrets': 'the identity, once a worker takes it over; test/pipeline/identity',
  'patch configmaps': 'a label that was taken from a snapshot of files',
  'patch secrets': 'a label that was taken from a snapshot of values',
};

const WRITTEN = ['gitrepositories', 'gitsources', 'applications', 'projects', 'identities', 'roles', 'settings'];

/** Verbs of the server that it uses only when somebody asks over the API, which these pushes do not; test/server/api. */
export const ONLY_API: ReadonlySet<string> = new Set([
  ...WRITTEN.flatMap((kind) => ['get', 'create', 'update', 'delete'].map((verb) => `${verb} hakopod.io/${kind}`)),
  ...['get', 'list', 'watch', 'create'].map((verb) => `${verb} hakopod.io/releases`),
  ...['list', 'watch', 'create'].map((verb) => `${verb} hakopod.io/auditrecords`),
  ...['get', 'create', 'update', 'delete'].map((verb) => `${verb} secrets`),
  ...['get pods', 'list pods', 'get pods/log'],
  ...['list nodes', 'list persistentvolumeclaims', 'list storage.k8s.io/storageclasses', 'get persistentvolumes'],
  ...['get', 'list', 'create', 'update', 'delete'].map((verb) => `${verb} hakopod.io/domainclaims`),
  'update hakopod.io/domainclaims/status',
  'get hakopod.io/plans',
  'update hakopod.io/applications/status',
  'update hakopod.io/releases/status',
  // After somebody installed, rotated or tested a webhook; test/pipeline/operations/webhooks.
  'update hakopod.io/gitrepositories/status',
]);
