import { describe, it } from 'vitest';
import { describeClusterContract } from '../../contracts/cluster.contract.ts';
import { describeLeasesContract } from '../../contracts/leases.contract.ts';
import { connectReal, inNewNamespace, realKubeconfig } from '../../support/kubernetes.ts';

const kubeconfig = realKubeconfig('the cluster and leases contracts');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else {
  const factory = () => inNewNamespace(connectReal(kubeconfig));
  describeClusterContract('real API server', factory);
  describeLeasesContract('real API server', factory);
}
