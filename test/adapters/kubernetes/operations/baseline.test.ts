import { describe, expect, it } from 'vitest';
import { baselineViolation, type Violation } from '../../../../src/adapters/kubernetes/operations/baseline.ts';
import { HARMLESS, VIOLATIONS } from '../../../support/baseline-pods.ts';
import { shows } from '../../../support/claims.ts';
import { podManifest } from '../../../support/scripted-cluster.ts';

const judge = (overrides: Parameters<typeof podManifest>[0]): Violation | undefined =>
  baselineViolation(podManifest(overrides));
describe('Pod Security baseline', () => {
  it.each(VIOLATIONS)(`${shows('openExec', 'every_control')} finds %s: %s`, (violation, _, overrides) => {
    expect(judge(overrides)).toBe(violation);
  });

  it.each(HARMLESS)('allows %s', (_, overrides) => {
    expect(judge(overrides)).toBeUndefined();
  });

  it('names the first violation of several, in the order of the controls', () => {
    const web = { name: 'web', ports: [{ hostPort: 1 }], securityContext: { privileged: true } };
    expect(judge({ spec: { hostPID: true, containers: [web], volumes: [{ hostPath: {} }] } })).toBe('host_namespace');
    expect(judge({ spec: { containers: [web], volumes: [{ hostPath: {} }] } })).toBe('host_path');
    expect(judge({ spec: { containers: [web] } })).toBe('host_port');
  });
});
