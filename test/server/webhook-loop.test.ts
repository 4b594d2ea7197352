import { afterEach, beforeEach, expect, it } from 'vitest';
import { createGithubHooks } from '../../src/adapters/github/index.ts';
import { createGitlabHooks } from '../../src/adapters/gitlab/index.ts';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';
import type { ForgeHooks, WantedHook } from '../../src/ports/index.ts';
import { realClock } from '../support/kubernetes.ts';
import { until } from '../support/redis.ts';
import { GITLAB_HOOK, type Harness, HOOK, startReceiver } from './harness.ts';

let forge: ForgeRecorder;
let receiver: Harness;
let all: (ForgeHooks & { stop(): Promise<void> })[];

beforeEach(async () => {
  forge = await startForgeRecorder();
  receiver = await startReceiver();
  const shared = { openHttp: openHttpClient, clock: realClock, userAgent: 'hakopod', timeoutMs: 5000 };
  all = [
    createGithubHooks({ ...shared, apiUrl: forge.githubApiUrl }),
    createGitlabHooks({ ...shared, apiUrl: forge.gitlabApiUrl }),
  ];
});
afterEach(async () => {
  await Promise.all(all.map((hooks) => hooks.stop()));
  await receiver.server.stop();
  await forge.stop();
});

it.each([
  ['github', 0, HOOK, 'hmac'],
  ['gitlab', 1, GITLAB_HOOK, 'token'],
] as const)('%s delivers to the receiver what it was told to, and the secret it was given shows', async (...row) => {
  const [name, index, id, auth] = row;
  const hooks = all[index]!;
  const repository = { forge: name, project: 'acme/shop', repositoryId: '15', token: 't' } as const;
  const url = `http://127.0.0.1:${receiver.port}/hooks/${id}`;
  const wanted = (secret: string): WantedHook => ({ url, events: ['push'], secret, auth });
  expect(await hooks.create(repository, wanted('previous-secret'))).toMatchObject({ ok: true });
  const proofs = () => receiver.recorded.map(({ provenBy }) => provenBy);
  await hooks.test(repository, '1');
  await until(() => proofs().length === 1, 'a record');
  expect(proofs()).toEqual(['previous']);

  await hooks.update(repository, '1', wanted('current-secret'));
  await hooks.test(repository, '1');
  await until(() => proofs().length === 2, 'a record');
  expect(proofs()).toEqual(['previous', 'current']);

  await hooks.update(repository, '1', wanted('nobodys-secret'));
  await hooks.test(repository, '1');
  await until(async () => {
    const told = await hooks.deliveries(repository, '1');
    return told.ok && told.value[0]?.status === 401;
  }, 'a refusal');
});
