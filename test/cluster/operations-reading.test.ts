import { describe, it } from 'vitest';
import { describeClusterReadingContract } from '../contracts/cluster-reading.contract.ts';
import { connectReal, inNewNamespace, realKubeconfig } from '../support/kubernetes.ts';

const kubeconfig = realKubeconfig('reading and operating');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else describeClusterReadingContract('real API server', () => inNewNamespace(connectReal(kubeconfig)));
