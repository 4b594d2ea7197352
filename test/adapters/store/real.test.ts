import { describe, it } from 'vitest';
import { describeAccessStoreContract } from '../../contracts/access-store.contract.ts';
import { describeClusterRunsContract } from '../../contracts/cluster-runs.contract.ts';
import { describeEndpointsContract } from '../../contracts/endpoints.contract.ts';
import { describeSecretsContract } from '../../contracts/secrets.contract.ts';
import { describeStoreContract } from '../../contracts/store.contract.ts';
import { connectReal, inNewNamespace, realKubeconfig } from '../../support/kubernetes.ts';

const kubeconfig = realKubeconfig('the store and secrets contracts');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else {
  const factory = () => inNewNamespace(connectReal(kubeconfig));
  describeAccessStoreContract('real API server', factory);
  describeClusterRunsContract('real API server', factory);
  describeStoreContract('real API server', factory);
  describeSecretsContract('real API server', factory);
  describeEndpointsContract('real API server', factory);
}
