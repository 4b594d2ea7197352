const PULL_REQUESTS = 'plans of pull requests; test/e2e/pull-request.test.ts';
const RACE = 'read or written again after somebody else was faster';
const HISTORY = 'only beyond the ten releases that are kept';

/** Verbs of the chart's roles that the pushes of `push.test.ts` do not come to use, each with what it is for. */
export const UNPROVEN: Readonly<Record<string, string>> = {
  'create hakopod.io/plans': PULL_REQUESTS,
  'delete hakopod.io/plans': PULL_REQUESTS,
  'get hakopod.io/plans': PULL_REQUESTS,
  'update hakopod.io/plans/status': PULL_REQUESTS,
  'delete hakopod.io/buildruns': HISTORY,
  'delete hakopod.io/releases': HISTORY,
  'get persistentvolumeclaims': RACE,
  'get resourcequotas': RACE,
  'patch batch/jobs': RACE,
  'patch configmaps': 'a label that was taken from a snapshot of files',
  'patch secrets': 'a label that was taken from a snapshot of values',
};
