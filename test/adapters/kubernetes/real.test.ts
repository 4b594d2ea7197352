import { describeClusterContract } from '../../contracts/cluster.contract.ts';
import { describeLeasesContract } from '../../contracts/leases.contract.ts';
import { connectReal, describeReal, inNewNamespace } from '../../support/kubernetes.ts';

describeReal('the cluster and leases contracts', (kubeconfig) => {
  const factory = () => inNewNamespace(connectReal(kubeconfig));
  describeClusterContract('real API server', factory);
  describeLeasesContract('real API server', factory);
});
