import { readFileSync } from 'node:fs';
import { describePatchPushes } from '../e2e/patch-pushes.ts';
import { describeReal } from '../support/kubernetes.ts';

describeReal('patches in pushes', (kubeconfig) =>
  describePatchPushes('real API server', readFileSync(kubeconfig, 'utf8')),
);
