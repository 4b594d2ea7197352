import { startEmbeddedCluster } from '../../src/adapters/embedded/index.ts';
import { connect } from '../../src/adapters/kubernetes/index.ts';
import { describePatchesOverReleases } from './life-cycle.ts';

describePatchesOverReleases('embedded', async () => {
  const embedded = await startEmbeddedCluster();
  const opened = connect({ kubeconfigText: embedded.kubeconfig });
  if (!opened.ok) throw new Error(opened.problem.message);
  return {
    connection: opened.value,
    close: async () => {
      await opened.value.close();
      await embedded.stop();
    },
  };
});
