import { describePatchesOverReleases } from '../patch/life-cycle.ts';
import { connectReal, describeReal } from '../support/kubernetes.ts';

describeReal('patches over releases', (kubeconfig) => {
  describePatchesOverReleases('real API server', async () => {
    const connection = connectReal(kubeconfig);
    return { connection, close: () => connection.close() };
  });
});
