import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGitlabDialect } from '../../../src/adapters/gitlab/index.ts';
import { hookFixture } from '../../support/hook-fixture.ts';

const dialect = createGitlabDialect();
const published = JSON.parse(hookFixture('gitlab-merge-request').toString('utf8')) as {
  readonly object_attributes: Record<string, unknown>;
};

function decode(payload: unknown): ReturnType<typeof dialect.decode> {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return dialect.decode({ 'x-gitlab-event': 'Merge Request Hook' }, body);
}

/** The published payload with other attributes. */
function changed(attributes: object, rest: object = {}): object {
  return { ...published, object_attributes: { ...published.object_attributes, ...attributes }, ...rest };
}
const HEAD = 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7';

describe('a merge request delivery', () => {
  it('names the target project, the number and the head, also for a fork', () => {
    expect(decode(published)).toEqual({
      ...{ kind: 'pull_request', repositoryId: '15', number: 12, action: 'changed', head: HEAD },
    });
  });

  it.each([
    ['open', 'changed'],
    ['reopen', 'changed'],
    ['close', 'closed'],
    ['merge', 'closed'],
  ])('%s is %s', (action, kind) => {
    expect(decode(changed({ action, oldrev: undefined }))).toMatchObject({ kind: 'pull_request', action: kind });
  });

  it('update counts only for a push, another target branch or a draft', () => {
    const edited = { oldrev: undefined };
    expect(decode(changed(edited))).toEqual({ kind: 'ignored', reason: 'event' });
    const target = { changes: { target_branch: { previous: 'main', current: 'next' } } };
    expect(decode(changed(edited, target))).toMatchObject({ kind: 'pull_request', action: 'changed' });
    for (const name of ['draft', 'work_in_progress']) {
      const draft = { changes: { [name]: { previous: true, current: false } } };
      expect(decode(changed(edited, draft))).toMatchObject({ kind: 'pull_request', action: 'changed' });
    }
  });

  it.each(['approved', 'unapproved', 'approval', undefined])('%s changes no plan', (action) => {
    expect(decode(changed({ action }))).toEqual({ kind: 'ignored', reason: 'event' });
  });

  it('of an empty branch leads to nothing, until it is closed', () => {
    for (const last_commit of [null, undefined]) {
      expect(decode(changed({ last_commit, action: 'open' }))).toEqual({ kind: 'ignored', reason: 'event' });
      const closed = decode(changed({ last_commit, action: 'close' }));
      expect(closed).toMatchObject({ kind: 'pull_request', number: 12, action: 'closed', head: undefined });
    }
  });

  it.each([
    ['no JSON', '{'],
    ['no number', changed({ iid: undefined })],
    ['no project', { ...published, project: undefined }],
    ['another kind of object', { ...published, object_kind: 'push' }],
    ['a target that is another project', changed({ target_project_id: 16 })],
    ['a head that is no commit', changed({ last_commit: { id: 'main' } })],
  ])('with %s is malformed', (_name, payload) => {
    expect(decode(payload)).toEqual({ kind: 'ignored', reason: 'malformed' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        decode({ ...published, object_attributes: value, changes: value });
        decode(text);
      }),
    );
  });
});
