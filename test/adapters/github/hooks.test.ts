import { describe } from 'vitest';
import { createGithubHooks } from '../../../src/adapters/github/index.ts';
import { describeForgeHooks } from '../../contracts/forge-hooks.contract.ts';

const url = 'http://127.0.0.1:1/hooks/0123456789abcdef0123456789abcdef';

describe('GitHub webhooks', () => {
  describeForgeHooks({
    forge: 'github',
    create: createGithubHooks,
    fields: {
      active: true,
      events: ['push', 'pull_request', 'issue_comment'],
      config: { url, content_type: 'json', insecure_ssl: '0' },
    },
    spoilt: [
      { fields: { active: false }, seen: { state: 'inactive' } },
      { fields: { events: ['pull_request'] }, seen: { events: ['pull_request'] } },
      { fields: { events: ['*'] }, seen: { events: ['push', 'tag_push', 'pull_request', 'comment'], sendsMore: true } },
      { fields: { config: { url, content_type: 'form', insecure_ssl: '0' } }, seen: { isJson: false } },
      { fields: { config: { url, content_type: 'json', insecure_ssl: 1 } }, seen: { verifiesTls: false } },
      { fields: { config: { url: 'https://elsewhere' } }, seen: { url: 'https://elsewhere' } },
    ],
  });
});
