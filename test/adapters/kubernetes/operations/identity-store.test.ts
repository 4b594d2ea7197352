import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEmbeddedCluster } from '../../../../src/adapters/embedded/index.ts';
import { connect } from '../../../../src/adapters/kubernetes/index.ts';
import { ownNamespace } from '../../../../src/adapters/kubernetes/operations/own-namespace.ts';
import { describeIdentityStoreContract } from '../../../contracts/identity-store.contract.ts';
import { shows } from '../../../support/claims.ts';
import { inNewNamespace } from '../../../support/kubernetes.ts';

describeIdentityStoreContract('embedded', async () => {
  const embedded = await startEmbeddedCluster();
  const connection = connect({ kubeconfigText: embedded.kubeconfig });
  if (!connection.ok) throw new Error(connection.problem.message);
  const under = await inNewNamespace(connection.value);
  const close = async (): Promise<void> => {
    await under.close();
    await embedded.stop();
  };
  return { ...under, close };
});

describe('ownNamespace', () => {
  it.each([
    ['shop\n', 'shop'],
    [`  ${'a'.repeat(63)}  `, 'a'.repeat(63)],
    ['a'.repeat(64), 'invalid_config'],
    ['Shop', 'invalid_config'],
    ['a.b', 'invalid_config'],
    ['', 'invalid_config'],
    [undefined, 'invalid_config'],
  ])(`${shows('ownNamespace', 'read', 'unreadable', 'not_a_namespace')} reads %j as %s`, (content, expected) => {
    const root = mkdtempSync(join(tmpdir(), 'hakopod-'));
    try {
      const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
      mkdirSync(folder, { recursive: true });
      if (content !== undefined) writeFileSync(join(folder, 'namespace'), content);
      const name = ownNamespace(root);
      expect(name.ok ? name.value : name.problem.code).toBe(expected);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
