import { startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { connect } from '../../../src/adapters/kubernetes/index.ts';
import { describeClusterContract } from '../../contracts/cluster.contract.ts';
import { describeLeasesContract } from '../../contracts/leases.contract.ts';
import { type ClusterUnderTest, inNewNamespace } from '../../support/kubernetes.ts';

async function factory(): Promise<ClusterUnderTest> {
  const embedded = await startEmbeddedCluster();
  const connection = connect({ kubeconfigText: embedded.kubeconfig });
  if (!connection.ok) throw new Error(connection.problem.message);
  const under = await inNewNamespace(connection.value);
  return {
    ...under,
    close: async () => {
      await under.close();
      await embedded.stop();
    },
  };
}

describeClusterContract('embedded', factory);
describeLeasesContract('embedded', factory);
