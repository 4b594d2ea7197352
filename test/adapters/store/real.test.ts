import { describeAccessStoreContract } from '../../contracts/access-store.contract.ts';
import { describeClusterRunsContract } from '../../contracts/cluster-runs.contract.ts';
import { describeEndpointsContract } from '../../contracts/endpoints.contract.ts';
import { describeSecretsContract } from '../../contracts/secrets.contract.ts';
import { describeStoreContract } from '../../contracts/store.contract.ts';
import { connectReal, describeReal, inNewNamespace } from '../../support/kubernetes.ts';

describeReal('the store and secrets contracts', (kubeconfig) => {
  const factory = () => inNewNamespace(connectReal(kubeconfig));
  describeAccessStoreContract('real API server', factory);
  describeClusterRunsContract('real API server', factory);
  describeStoreContract('real API server', factory);
  describeSecretsContract('real API server', factory);
  describeEndpointsContract('real API server', factory);
});
