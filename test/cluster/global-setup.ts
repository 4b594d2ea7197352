import type { TestProject } from 'vitest/node';
import { startRig, whyNoRig } from './rig.ts';

/*
 * One cluster for all files of `npm run test:cluster`: the one of HAKOPOD_TEST_KUBECONFIG or KUBECONFIG, else a rig of our own. The test
 * files learn of it from the environment, and skip with a reason what it does not offer.
 */

/** Starts what is needed and answers the way to stop it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { HAKOPOD_TEST_KUBECONFIG, KUBECONFIG } = process.env;
  const given = HAKOPOD_TEST_KUBECONFIG || KUBECONFIG;
  if (given) {
    announce(given);
    console.warn(`testing against the cluster of ${given}`);
    return async () => undefined;
  }
  const noNode = whyNoRig({ node: true });
  const noRig = whyNoRig({ node: false });
  if (noRig !== undefined) {
    console.warn(`SKIPPED: everything that needs a real Kubernetes: ${noRig}; install Go, or set KUBECONFIG`);
    return async () => undefined;
  }
  if (noNode !== undefined) console.warn(`SKIPPED: everything that needs real pods: ${noNode}`);
  const rig = await startRig({ node: noNode === undefined });
  announce(rig.kubeconfig);
  process.env.HAKOPOD_TEST_RIG = rig.folder;
  process.env.HAKOPOD_TEST_AUDIT = rig.auditLog;
  if (rig.registry !== undefined) process.env.HAKOPOD_TEST_REGISTRY = rig.registry;
  return () => rig.stop({ keepLogs: project.vitest.state.getCountOfFailedTests() > 0 });
}

function announce(kubeconfig: string): void {
  process.env.HAKOPOD_TEST_KUBECONFIG = kubeconfig;
  process.env.KUBECONFIG = kubeconfig;
}
