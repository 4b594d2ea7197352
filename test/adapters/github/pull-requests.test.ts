import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGithubCommentWriter, createGithubPullRequests } from '../../../src/adapters/github/index.ts';
import { openHttpClient } from '../../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../../src/demo/forge-recorder.ts';
import { describePullRequests } from '../../contracts/pull-requests.contract.ts';
import { clock, codeOf, TOKEN } from '../../contracts/status-writer.contract.ts';

describe('GitHub pull requests', () => {
  describePullRequests({
    forge: 'github',
    reader: createGithubPullRequests,
    writer: createGithubCommentWriter,
    apiUrl: (recorder) => recorder.githubApiUrl,
    ref: 'refs/pull/3/head',
  });
});

describe('what only GitHub does', () => {
  let recorder: ForgeRecorder;
  beforeEach(async () => {
    recorder = await startForgeRecorder();
    recorder.putPull({
      ...{ forge: 'github', project: 'acme/shop', repositoryId: 15, number: 3, state: 'open', head: 'a'.repeat(40) },
      ...{ branch: 'change', base: 'main', fork: false },
    });
  });
  afterEach(() => recorder.stop());

  const options = () => ({
    ...{ openHttp: openHttpClient, clock, userAgent: 'hakopod', timeoutMs: 2000, apiUrl: recorder.githubApiUrl },
  });

  it("an app's token has no user, so its bot is asked for", async () => {
    recorder.actAsApp();
    const writer = createGithubCommentWriter(options());
    const repository = { forge: 'github', project: 'acme/shop', repositoryId: '15', token: TOKEN } as const;
    const comment = { number: 3, marker: '<!-- m -->', body: '<!-- m -->\nhello' };
    expect(codeOf(await writer.upsert(repository, comment))).toBe('ok');
    expect(codeOf(await writer.upsert(repository, { ...comment, body: '<!-- m -->\nagain' }))).toBe('ok');
    expect(recorder.comments()).toHaveLength(1);
    await writer.stop();
  });

  it('another repository under the same name is not the one that was bound', async () => {
    const reader = createGithubPullRequests(options());
    const repository = { forge: 'github', project: 'acme/shop', repositoryId: '16', token: TOKEN } as const;
    expect(codeOf(await reader.read(repository, 3))).toBe('forge_not_found');
    await reader.stop();
  });
});
