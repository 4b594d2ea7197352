import { expect, it } from 'vitest';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import { poll } from '../../src/pipeline/index.ts';
import { memory, RUN, SOURCE } from '../support/memory.ts';

it('is said on every source of the repository, with what to do, until the repository is read again', async () => {
  const world = await memory();
  const [repository] = world.repositories.items.values();
  const { name, spec } = repository!;
  world.repositories.items.set(name, { ...repository!, spec: { ...spec, credentialsSecret: 'secret' } });
  const conditions = () => world.sources.items.get(SOURCE)?.status.conditions ?? [];
  Object.assign(world.deps.credentials, { forRepository: async () => fail(problem('oauth_grant_ended')) });
  expect(await poll(world.deps, { repository: name }, RUN)).toMatchObject({ problem: { code: 'oauth_grant_ended' } });
  expect(conditions()).toContainEqual(
    expect.objectContaining({
      type: 'Ready',
      status: 'False',
      reason: 'OauthGrantEnded',
      message: expect.stringContaining('run `hakopod repos add`'),
    }),
  );
  Object.assign(world.deps.credentials, { forRepository: async () => ok({ username: 'oauth2', token: 't' }) });
  expect(await poll(world.deps, { repository: name }, RUN)).toMatchObject({ ok: true });
  expect(conditions().filter(({ reason }) => reason === 'OauthGrantEnded')).toEqual([]);
});
