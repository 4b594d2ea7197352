import { startEmbeddedCluster } from '../../../../src/adapters/embedded/index.ts';
import { connect } from '../../../../src/adapters/kubernetes/index.ts';
import { describeApplyWorkloadContract } from '../../../contracts/apply-workload.contract.ts';
import { describeCreateWorkloadContract } from '../../../contracts/create-workload.contract.ts';
import { describeDeployContract } from '../../../contracts/deploy.contract.ts';
import { describeDeployRacesContract } from '../../../contracts/deploy-races.contract.ts';
import { describeRemoveContract } from '../../../contracts/remove.contract.ts';
import { type DeployStage, stageOf } from '../../../support/deploy-stage.ts';
import { inNewNamespace } from '../../../support/kubernetes.ts';

const IMAGE = `registry.example.com/app@sha256:${'b'.repeat(64)}`;

async function open(): Promise<DeployStage> {
  const embedded = await startEmbeddedCluster();
  const connection = connect({ kubeconfigText: embedded.kubeconfig });
  if (!connection.ok) throw new Error(connection.problem.message);
  const stage = await stageOf(await inNewNamespace(connection.value), IMAGE);
  return {
    ...stage,
    close: async () => {
      await stage.close();
      await embedded.stop();
    },
  };
}

describeDeployContract('embedded', open);
describeDeployRacesContract('embedded', open);
describeRemoveContract('embedded', open);
describeApplyWorkloadContract('embedded', open);
describeCreateWorkloadContract('embedded', open);
