import type { Result } from '../../kernel/index.ts';
import type { Operations } from '../../ports/api/index.ts';
import type { Deps } from '../context.ts';
import type { StandardUrls } from '../forge-pace.ts';
import { domainOperations } from './applications/domains.ts';
import { applicationOperations } from './applications/operations.ts';
import { type ClusterDeps, clusterOperations } from './cluster/index.ts';
import { deploymentOperations } from './deployments/index.ts';
import {
  certificateOperations,
  projectOperations,
  registryOperations,
  secretOperations,
} from './environments/index.ts';
import {
  deliveryOperations,
  planOperations,
  previewOperations,
  repositoryOperations,
  sourceOperations,
  webhookOperations,
} from './git/index.ts';
import { auditOperations, settingOperations } from './installation/index.ts';
import { createPager } from './page.ts';
import { identityOperations, keyOperations, meOperations, roleOperations } from './people/index.ts';

/** What all operations work with: less than a worker has, so that a server, and one command of the command line, have it too. */
export type OperationsDeps = Pick<
  Deps,
  | 'store'
  | 'cluster'
  | 'capacity'
  | 'leases'
  | 'secrets'
  | 'certificates'
  | 'dns'
  | 'credentials'
  | 'keys'
  | 'identities'
  | 'roles'
  | 'projects'
  | 'settings'
  | 'registries'
  | 'audit'
  | 'jobs'
  | 'deliveries'
  | 'hooks'
  | 'clock'
  | 'random'
  | 'log'
  | 'options'
> & {
  readonly limits: {
    /** Facts 6.2: 200. */
    readonly applicationsPerEnvironment: number;
    /** Facts 11.5: 32. */
    readonly environmentsPerProject: number;
  };
  /** `invalid_url` or `ssh_unsupported` for a clone URL that can not be used, by the Git adapter's rules. */
  readonly checkUrl: (url: string, local: boolean) => Result<unknown>;
  /** Where the API of each forge is for repositories without an own one. */
  readonly forgeApis: StandardUrls;
  readonly operations: ClusterDeps['operations'];
  readonly manifest: ClusterDeps['manifest'];
  readonly runs: ClusterDeps['runs'];
  readonly namespaces: ClusterDeps['namespaces'];
};

/** Makes every operation of the API. */
export function createOperations(given: OperationsDeps): Operations {
  const { publicUrl, grantWarningMs, snapshotKey } = given.options;
  const deps = { ...given, pager: createPager(snapshotKey), publicUrl, grantWarningMs };
  return {
    me: meOperations(deps),
    projects: projectOperations(deps),
    applications: applicationOperations(deps),
    domains: domainOperations(deps),
    deployments: deploymentOperations(deps),
    secrets: secretOperations(deps),
    certificates: certificateOperations(deps),
    registries: registryOperations(deps),
    repositories: { ...repositoryOperations(deps), ...webhookOperations(deps) },
    deliveries: deliveryOperations(deps),
    sources: sourceOperations(deps),
    plans: planOperations(deps),
    previews: previewOperations(deps),
    settings: settingOperations(deps),
    keys: keyOperations(deps),
    identities: identityOperations(deps),
    roles: roleOperations(deps),
    audit: auditOperations(deps),
    cluster: clusterOperations(deps),
  };
}
