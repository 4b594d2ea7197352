import { beforeAll, describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../src/kernel/index.ts';
import { cleanup, code, openReader, type Rig, ref, run, sha, startRig, type TestReader, value } from './support.ts';

const undo = cleanup();
let rig: Rig;
let reader: TestReader;
let commit: CommitSha;
beforeAll(async () => {
  rig = await startRig(undo);
  reader = openReader(undo);
  commit = await rig.push('Fix ä word\n\n[skip hakopod]\n\nSigned-off-by: Test');
  await rig.git('tag', 'v1');
  await rig.git('tag', '-a', 'v2', '-m', 'annotated');
  await rig.git('tag', 'w1');
  await rig.git('tag', 'v/3');
  await run(rig.work, ['push', '-q', `${rig.root}/repo.git`, '--tags']);
});
const remote = () => ({ url: rig.url, local: true });

describe('the message of a commit', () => {
  it('is what git says', async () => {
    const message = value(await reader.commitMessage({ remote: remote(), commit }));
    expect(message).toBe((await rig.git('log', '-1', '--format=%B', commit)).replace(/\n$/, ''));
    expect(message).toContain('[skip hakopod]');
  });

  it('of no commit is a problem', async () => {
    expect(code(await reader.commitMessage({ remote: remote(), commit: sha('1'.repeat(40)) }))).toBe(
      'commit_not_found',
    );
  });
});

describe('a pattern of tags', () => {
  it('is answered with what it matches, peeled, beside exact refs', async () => {
    const listed = value(await reader.listRefs(remote(), [ref('refs/tags/v*'), ref('refs/heads/main')]));
    expect(Object.fromEntries(listed)).toEqual({
      'refs/heads/main': commit,
      'refs/tags/v1': commit,
      'refs/tags/v2': commit,
    });
  });
});
