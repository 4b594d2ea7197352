import { describeClusterReadingContract } from '../contracts/cluster-reading.contract.ts';
import { connectReal, describeReal, inNewNamespace } from '../support/kubernetes.ts';
import { limitedAccount } from '../support/limited-account.ts';

describeReal('reading and operating', (kubeconfig) => {
  describeClusterReadingContract('real API server', async () => {
    const under = await inNewNamespace(connectReal(kubeconfig));
    return {
      ...under,
      without: async (missing) => {
        const { connection, close } = await limitedAccount(under, kubeconfig, missing);
        return { connection, back: close };
      },
    };
  });
});
