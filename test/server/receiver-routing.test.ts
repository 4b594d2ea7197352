import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  call,
  GITHUB,
  GITLAB,
  GITLAB_HOOK,
  type Harness,
  pushBody,
  type Reply,
  signed,
  startReceiver,
} from './harness.ts';

const COMMIT = 'c'.repeat(40);
const ACCEPTED = '{"accepted":true}';
const FOREIGN = '{"ignored":"repository"}';

let receiver: Harness;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.server.stop());

let nth = 0;
/** A push as GitLab delivers it. */
function gitlab(project: object, project_id: number): Promise<Reply> {
  nth += 1;
  return call(receiver.port, {
    path: `/hooks/${GITLAB_HOOK}`,
    headers: {
      'content-type': 'application/json',
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-token': 'current-secret',
      'x-gitlab-event-uuid': `uuid-${nth}`,
    },
    body: JSON.stringify({
      ...{ object_kind: 'push', ref: 'refs/heads/main', after: COMMIT, checkout_sha: COMMIT },
      ...{ project_id, project },
    }),
  });
}

describe('a delivery is routed by the immutable id of the repository', () => {
  it('of GitHub: a renamed one still arrives, one that has its old name does not', async () => {
    const id = Number(GITHUB.repositoryId);
    const named = (number: number, full_name: string): Promise<Reply> =>
      call(receiver.port, signed(pushBody({ repository: { id: number, full_name } })));
    expect((await named(id, 'acme/shop')).body).toBe(ACCEPTED);
    expect((await named(id, 'elsewhere/renamed')).body).toBe(ACCEPTED);
    expect((await named(id + 1, 'acme/shop')).body).toBe(FOREIGN);
    expect(receiver.accepted.map(({ repository }) => repository)).toEqual(['shop', 'shop']);
  });

  it('of GitLab: the same', async () => {
    const id = Number(GITLAB.repositoryId);
    const named = (number: number, path_with_namespace: string) => gitlab({ id: number, path_with_namespace }, number);
    expect((await named(id, 'acme/blog')).body).toBe(ACCEPTED);
    expect((await named(id, 'elsewhere/renamed')).body).toBe(ACCEPTED);
    expect((await named(id + 1, 'acme/blog')).body).toBe(FOREIGN);
    expect(receiver.accepted.map(({ repository }) => repository)).toEqual(['blog', 'blog']);
  });
});

describe('a delivery is routed by the full ref', () => {
  it.each(['refs/heads/main', 'refs/tags/main', 'refs/heads/release/main', 'refs/heads/heads/main'])(
    '%s is that ref and no other',
    async (ref) => {
      expect((await call(receiver.port, signed(pushBody({ ref })))).body).toBe(ACCEPTED);
      expect(receiver.accepted.map((push) => push.ref)).toEqual([ref]);
    },
  );

  it.each(['main', 'heads/main', 'refs/main', 'MAIN'])('%s is none', async (ref) => {
    const reply = await call(receiver.port, signed(pushBody({ ref })));
    expect(reply.body).not.toBe(ACCEPTED);
    expect(receiver.accepted).toEqual([]);
  });
});

it('takes nothing along of the files that a payload lists', async () => {
  const commits = [{ id: COMMIT, added: ['only/here.txt'], modified: ['only/here.txt'], removed: ['only/here.txt'] }];
  await call(receiver.port, signed(pushBody({ commits, head_commit: commits[0] })));
  await call(receiver.port, signed(pushBody()));
  const [listed, bare] = receiver.accepted.map(({ deliveryId: _, ...push }) => push);
  expect(listed).toEqual(bare);
  expect(JSON.stringify(receiver.accepted)).not.toContain('here.txt');
});
