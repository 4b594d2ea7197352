import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForgeRecorder, startForgeRecorder } from '../../src/demo/forge-recorder.ts';

const HEAD = 'a'.repeat(40);
let recorder: ForgeRecorder;
beforeEach(async () => {
  recorder = await startForgeRecorder();
  for (const forge of ['github', 'gitlab'] as const)
    recorder.putPull({
      ...{ forge, project: 'acme/shop', repositoryId: 15, number: 3, state: 'open', head: HEAD },
      ...{ branch: 'change', base: 'main', fork: true },
    });
});
afterEach(() => recorder.stop());

async function ask(url: string, method = 'GET', body?: unknown): Promise<{ status: number; json: unknown }> {
  const init = {
    method,
    headers: { 'user-agent': 'test' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const answer = await fetch(url, init);
  return { status: answer.status, json: await answer.json() };
}
const github = (path: string, method?: string, body?: unknown) => ask(`${recorder.githubApiUrl}${path}`, method, body);
const gitlab = (path: string, method?: string, body?: unknown) => ask(`${recorder.gitlabApiUrl}${path}`, method, body);

describe('as GitHub', () => {
  it.each([
    ['/repos/acme/shop/pulls/3', 200],
    ['/repos/acme/shop/pulls/4', 404],
    ['/repos/acme/other/pulls/3', 404],
    ['/repos/acme/shop/pulls/three', 404],
    ['/repos/acme/shop/issues/4/comments', 404],
    ['/repos/acme/shop/issues/comments/9', 404],
    ['/repos/acme/shop/compare/main...deadbeef', 404],
    ['/user', 200],
  ])('answers %s with %i', async (path, status) => {
    expect((await github(path)).status).toBe(status);
  });

  it('refuses comments that are empty or too long, and edits of others', async () => {
    const path = '/repos/acme/shop/issues/3/comments';
    expect((await github(path, 'POST', { body: ' ' })).status).toBe(422);
    expect((await github(path, 'POST', { body: 'x'.repeat(65_537) })).status).toBe(422);
    expect((await github(path, 'POST', { body: 'x'.repeat(65_536) })).status).toBe(201);
    const other = recorder.addComment({ forge: 'github', project: 'acme/shop', number: 3, author: 77, body: 'theirs' });
    const edited = await github(`/repos/acme/shop/issues/comments/${other.id}`, 'PATCH', { body: 'ours' });
    expect(edited.status).toBe(403);
    expect(recorder.comments().at(-1)?.body).toBe('theirs');
  });

  it('lists comments oldest first, in pages', async () => {
    for (let n = 0; n < 31; n += 1)
      recorder.addComment({ forge: 'github', project: 'acme/shop', number: 3, author: 77, body: String(n) });
    const first = (await github('/repos/acme/shop/issues/3/comments')).json as readonly { body: string }[];
    const second = (await github('/repos/acme/shop/issues/3/comments?page=2')).json as readonly { body: string }[];
    expect([first.length, first[0]?.body, second.length]).toEqual([30, '0', 1]);
  });

  it('knows no user of an app, but its viewer', async () => {
    recorder.actAsApp();
    expect((await github('/user')).status).toBe(403);
    expect((await github('/graphql', 'POST', { query: '' })).json).toMatchObject({ data: { viewer: {} } });
  });
});

describe('as GitLab', () => {
  it.each([
    ['/projects/15/merge_requests/3', 200],
    ['/projects/acme%2Fshop/merge_requests/3', 200],
    ['/projects/16/merge_requests/3', 404],
    ['/projects/15/merge_requests/4', 404],
    ['/projects/15/merge_requests/3/notes/9', 404],
    ['/user', 200],
  ])('answers %s with %i', async (path, status) => {
    expect((await gitlab(path)).status).toBe(status);
  });

  it('lists notes newest first unless asked otherwise, and lets nobody edit those of others', async () => {
    expect((await gitlab('/projects/15/merge_requests/3/notes', 'POST', {})).status).toBe(400);
    const first = recorder.addComment({ forge: 'gitlab', project: 'acme/shop', number: 3, author: 77, body: 'a' });
    expect((await gitlab('/projects/15/merge_requests/3/notes', 'POST', { body: 'b' })).status).toBe(201);
    const path = '/projects/15/merge_requests/3/notes';
    expect((await gitlab(path)).json).toMatchObject([{ body: 'b' }, { body: 'a' }]);
    expect((await gitlab(`${path}?sort=asc`)).json).toMatchObject([{ body: 'a' }, { body: 'b' }]);
    expect((await gitlab(`${path}/${first.id}`, 'PUT', { body: 'c' })).status).toBe(403);
  });

  it("wants a ref for the status of a fork's head, which is on no branch", async () => {
    const path = `/projects/15/statuses/${HEAD}`;
    expect((await gitlab(path, 'POST', { state: 'success' })).status).toBe(404);
    const ref = 'refs/merge-requests/3/head';
    expect((await gitlab(path, 'POST', { state: 'success', ref })).status).toBe(201);
  });
});
