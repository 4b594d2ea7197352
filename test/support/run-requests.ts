import { ClusterDeployment, ClusterRemoval } from '../../src/ports/api/index.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const TARGET = {
  namespace: 'shop',
  application_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  instance_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  spec_digest: DIGEST,
};
const WEB = {
  name: 'web',
  image: { reference: `ghcr.io/acme/shop@${DIGEST}`, digest: DIGEST },
  ports: [{ published: 80, target: 8080 }],
  env: { MODE: 'production', DATABASE_URL: 'canary-database-url' },
  secret_keys: ['DATABASE_URL'],
};

/** A request to deploy an instance, as the API has read it. */
export function deployment(over: object = {}): ClusterDeployment {
  return ClusterDeployment.parse({ request_id: 'shop-1', project: 'shop', target: TARGET, services: [WEB], ...over });
}

/** A request to take it down. */
export function removal(over: object = {}): ClusterRemoval {
  return ClusterRemoval.parse({
    ...{ request_id: 'shop-2', project: 'shop', confirm_name: 'shop' },
    target: TARGET,
    services: ['web'],
    ...over,
  });
}

export const ON = TARGET;
