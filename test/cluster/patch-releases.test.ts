import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { describePatchPushes } from '../e2e/patch-pushes.ts';
import { realKubeconfig } from '../support/kubernetes.ts';

const kubeconfig = realKubeconfig('patches in pushes');
if (kubeconfig === undefined) describe.skip('a real API server', () => it('is not configured', () => undefined));
else describePatchPushes('real API server', readFileSync(kubeconfig, 'utf8'));
