import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGithubDialect } from '../../src/adapters/github/index.ts';
import { createGitlabDialect } from '../../src/adapters/gitlab/index.ts';

const github = (payload: unknown) =>
  createGithubDialect().decode({ 'x-github-event': 'issue_comment' }, Buffer.from(JSON.stringify(payload)));
const gitlab = (payload: unknown) =>
  createGitlabDialect().decode({ 'x-gitlab-event': 'Note Hook' }, Buffer.from(JSON.stringify(payload)));
const EVENT = { kind: 'ignored', reason: 'event' };
const MALFORMED = { kind: 'ignored', reason: 'malformed' };

describe('an issue_comment delivery of GitHub', () => {
  const payload = {
    action: 'created',
    issue: { number: 7, pull_request: { url: 'https://api.github.com/repos/acme/shop/pulls/7' } },
    comment: { id: 2099, body: 'hakopod deploy', author_association: 'NONE' },
    repository: { id: 15 },
  };

  it('with a command says which comment to read', () => {
    expect(github(payload)).toEqual({ kind: 'comment', repositoryId: '15', number: 7, comment: '2099' });
  });

  it.each([
    ['an edited one', { action: 'edited' }, EVENT],
    ['one on an issue', { issue: { number: 7 } }, EVENT],
    ['talk', { comment: { id: 1, body: 'shall we hakopod deploy?' } }, EVENT],
    ['one without a body', { comment: { id: 1, body: null } }, EVENT],
    ['one without an id', { comment: { body: 'hakopod deploy' } }, MALFORMED],
    ['one of no repository', { repository: undefined }, MALFORMED],
  ])('%s leads to nothing', (_what, part, verdict) => {
    expect(github({ ...payload, ...part })).toEqual(verdict);
  });
});

describe('a note delivery of GitLab', () => {
  const note = { id: 1244, note: 'hakopod plan', noteable_type: 'MergeRequest', action: 'create', system: false };
  const payload = {
    ...{ object_kind: 'note', project: { id: 15 }, object_attributes: note },
    merge_request: { iid: 7, target_project_id: 15 },
  };
  const withNote = (part: object) => ({ ...payload, object_attributes: { ...note, ...part } });

  it('with a command says which note to read', () => {
    expect(gitlab(payload)).toEqual({ kind: 'comment', repositoryId: '15', number: 7, comment: '1244' });
  });

  it.each([
    ['an edited one', withNote({ action: 'update' }), EVENT],
    ['one of GitLab itself', withNote({ system: true }), EVENT],
    ['one on an issue', { ...withNote({ noteable_type: 'Issue' }), merge_request: undefined }, EVENT],
    ['talk', withNote({ note: 'nice' }), EVENT],
    ['one of another project', { ...payload, merge_request: { iid: 7, target_project_id: 16 } }, MALFORMED],
    ['one without an id', withNote({ id: undefined }), MALFORMED],
  ])('%s leads to nothing', (_what, delivered, verdict) => {
    expect(gitlab(delivered)).toEqual(verdict);
  });
});

it('no payload makes either throw', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      github(value);
      gitlab(value);
      github({ action: 'created', issue: value, comment: value, repository: value });
      gitlab({ object_kind: 'note', project: value, object_attributes: value, merge_request: value });
    }),
  );
});
