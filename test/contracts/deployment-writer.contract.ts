import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import type { RefName } from '../../src/kernel/index.ts';
import type { CommitOutcome, DeploymentWriter, ForgeDeployment, ForgeRepository } from '../../src/ports/index.ts';
import { COMMIT, clock, codeOf, TOKEN, type WriterFactory } from './status-writer.contract.ts';

export type DeploymentSubject = {
  readonly forge: 'github' | 'gitlab';
  readonly create: (options: Parameters<WriterFactory>[0]) => DeploymentWriter & { stop(): Promise<void> };
  readonly apiUrl: (recorder: ForgeRecorder) => string;
  readonly states: Readonly<Record<CommitOutcome, string>>;
};

/** What every writer of deployments must do, shown against a peer that is as strict as the forge. */
export function describeDeploymentWriter({ forge, create, apiUrl, states }: DeploymentSubject): void {
  let recorder: ForgeRecorder;
  let writer: ReturnType<DeploymentSubject['create']>;
  const repository: ForgeRepository = { forge, project: 'acme/shop', repositoryId: '15', token: TOKEN };
  const say = (outcome: CommitOutcome, more: Partial<ForgeDeployment> = {}) =>
    writer.write(repository, {
      commit: COMMIT,
      ref: 'refs/heads/main' as RefName,
      environment: 'acme/production/shop',
      outcome,
      description: outcome,
      url: 'https://web.apps.example.com',
      ...more,
    });
  const shown = () => recorder.deployments().map(({ state, url }) => [state, url]);

  beforeEach(async () => {
    recorder = await startForgeRecorder();
    recorder.requireToken(TOKEN);
    const http = { openHttp: openHttpClient, clock, userAgent: 'hakopod', timeoutMs: 2000 };
    writer = create({ ...http, apiUrl: apiUrl(recorder) });
  });
  afterEach(async () => {
    await writer.stop();
    await recorder.stop();
  });

  describe('a deployment', () => {
    it.each(Object.entries(states))('goes from pending to %s', async (outcome, state) => {
      const first = await say('pending');
      const known = first.ok ? { known: first.value } : {};
      expect(codeOf(await say(outcome as CommitOutcome, known))).toBe('ok');
      const url = outcome === 'success' ? 'https://web.apps.example.com' : undefined;
      expect(shown()).toEqual([[state, url]]);
    });

    it('is one, whose answer may be lost or its id forgotten', async () => {
      recorder.onRequest((method, path) => {
        if (method !== 'POST' || !path.split('?')[0]?.endsWith('/deployments')) return undefined;
        recorder.onRequest(undefined);
        return 'lost';
      });
      expect(codeOf(await say('pending'))).toBe('forge_unavailable');
      expect(codeOf(await say('success'))).toBe('ok');
      expect(shown()).toEqual([[states.success, 'https://web.apps.example.com']]);
    });

    it('may be told the same twice', async () => {
      for (const outcome of ['pending', 'pending', 'success', 'success'] as const)
        expect(codeOf(await say(outcome))).toBe('ok');
      expect(recorder.deployments()).toHaveLength(1);
    });

    it('is of its environment', async () => {
      await say('success');
      await say('success', { environment: 'acme/staging/shop' });
      expect(recorder.deployments().map(({ environment }) => environment)).toEqual([
        'acme/production/shop',
        'acme/staging/shop',
      ]);
    });
  });
}
