import { startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { connect } from '../../../src/adapters/kubernetes/index.ts';
import { transitionRules } from '../../../src/adapters/store/index.ts';
import { describeAccessStoreContract } from '../../contracts/access-store.contract.ts';
import { describeClusterRunsContract } from '../../contracts/cluster-runs.contract.ts';
import { describeEndpointsContract } from '../../contracts/endpoints.contract.ts';
import { describeSecretsContract } from '../../contracts/secrets.contract.ts';
import { describeStoreContract } from '../../contracts/store.contract.ts';
import { type ClusterUnderTest, inNewNamespace } from '../../support/kubernetes.ts';

async function factory(): Promise<ClusterUnderTest> {
  const embedded = await startEmbeddedCluster({ validators: transitionRules() });
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

describeAccessStoreContract('embedded', factory);
describeClusterRunsContract('embedded', factory);
describeStoreContract('embedded', factory);
describeSecretsContract('embedded', factory);
describeEndpointsContract('embedded', factory);
