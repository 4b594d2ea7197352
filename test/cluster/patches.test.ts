import { describe, it } from 'vitest';
import { describePatchesOverReleases } from '../patch/life-cycle.ts';
import { connectReal, realKubeconfig } from '../support/kubernetes.ts';

const kubeconfig = realKubeconfig('patches over releases');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else {
  describePatchesOverReleases('real API server', async () => {
    const connection = connectReal(kubeconfig);
    return { connection, close: () => connection.close() };
  });
}
