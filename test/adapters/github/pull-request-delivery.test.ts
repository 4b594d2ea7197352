import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGithubDialect } from '../../../src/adapters/github/index.ts';
import { hookFixture } from '../../support/hook-fixture.ts';

const dialect = createGithubDialect();
const published = JSON.parse(hookFixture('github-pull-request').toString('utf8')) as Record<string, unknown>;

function decode(payload: unknown): ReturnType<typeof dialect.decode> {
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return dialect.decode({ 'x-github-event': 'pull_request' }, body);
}
const HEAD = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c';

describe('a pull_request delivery', () => {
  it('names the base repository, the number and the head, also for a fork', () => {
    expect(decode(published)).toEqual({
      ...{ kind: 'pull_request', repositoryId: '186853261', number: 12, action: 'changed', head: HEAD },
    });
  });

  it.each([
    ['opened', 'changed'],
    ['reopened', 'changed'],
    ['ready_for_review', 'changed'],
    ['converted_to_draft', 'changed'],
    ['closed', 'closed'],
  ])('%s is %s', (action, kind) => {
    expect(decode({ ...published, action })).toMatchObject({ kind: 'pull_request', action: kind });
  });

  it('edited counts only when the base changed', () => {
    const edited = { ...published, action: 'edited' };
    expect(decode({ ...edited, changes: { title: { from: 'x' } } })).toEqual({ kind: 'ignored', reason: 'event' });
    expect(decode(edited)).toEqual({ kind: 'ignored', reason: 'event' });
    expect(decode({ ...edited, changes: { base: { ref: { from: 'main' } } } })).toMatchObject({ action: 'changed' });
  });

  it.each(['labeled', 'assigned', 'auto_merge_enabled', ''])('%s changes no plan', (action) => {
    expect(decode({ ...published, action })).toEqual({ kind: 'ignored', reason: 'event' });
  });

  it.each([
    ['no JSON', '{'],
    ['no number', { ...published, number: undefined }],
    ['a number that is none', { ...published, number: '12' }],
    ['a negative number', { ...published, number: -1 }],
    ['no repository', { ...published, repository: undefined }],
    ['no head', { ...published, pull_request: {} }],
    ['a head that is no commit', { ...published, pull_request: { head: { sha: 'main' } } }],
  ])('with %s is malformed', (_name, payload) => {
    expect(decode(payload)).toEqual({ kind: 'ignored', reason: 'malformed' });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        decode({ ...published, pull_request: value, changes: value });
        decode(text);
      }),
    );
  });
});
