import { describe, it } from 'vitest';
import { describeClusterReadingContract } from '../contracts/cluster-reading.contract.ts';
import { connectReal, inNewNamespace, realKubeconfig } from '../support/kubernetes.ts';
import { limitedAccount } from '../support/limited-account.ts';

const kubeconfig = realKubeconfig('reading and operating');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else {
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
}
