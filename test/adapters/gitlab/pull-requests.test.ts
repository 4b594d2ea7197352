import { describe } from 'vitest';
import { createGitlabCommentWriter, createGitlabPullRequests } from '../../../src/adapters/gitlab/index.ts';
import { describePullRequests } from '../../contracts/pull-requests.contract.ts';

describe('GitLab merge requests', () => {
  describePullRequests({
    forge: 'gitlab',
    reader: createGitlabPullRequests,
    writer: createGitlabCommentWriter,
    apiUrl: (recorder) => recorder.gitlabApiUrl,
    ref: 'refs/merge-requests/3/head',
  });
});
