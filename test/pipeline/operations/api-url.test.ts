import { describe, expect, it } from 'vitest';
import { derivedApiUrl } from '../../../src/pipeline/operations/git/api-url.ts';

const PUBLIC = { github: 'https://api.github.com', gitlab: 'https://gitlab.com/api/v4' };
const OWN = { github: 'https://ghe.example.com/api/v3', gitlab: 'https://git.example.com:8443/gitlab/api/v4' };

describe('the API of a repository', () => {
  it.each([
    ['github', 'https://github.com/acme/shop.git', PUBLIC, undefined],
    ['github', 'https://GitHub.com/acme/shop.git', PUBLIC, undefined],
    ['github', 'https://ghe.example.com/acme/shop.git', PUBLIC, 'https://ghe.example.com/api/v3'],
    ['github', 'https://ghe.example.com:8443/acme/shop', PUBLIC, 'https://ghe.example.com:8443/api/v3'],
    ['github', 'https://octo.ghe.com/acme/shop.git', PUBLIC, 'https://api.octo.ghe.com'],
    ['github', 'https://octo.ghe.com/acme/shop.git', { ...PUBLIC, github: 'https://api.octo.ghe.com' }, undefined],
    ['github', 'https://ghe.example.com/acme/shop.git', OWN, undefined],
    ['github', 'https://github.com/acme/shop.git', OWN, 'https://api.github.com'],
    ['gitlab', 'https://gitlab.com/acme/shop.git', PUBLIC, undefined],
    ['gitlab', 'https://gitlab.example.com/acme/shop.git', PUBLIC, 'https://gitlab.example.com/api/v4'],
    ['gitlab', 'https://git.example.com:8443/gitlab/acme/shop.git', OWN, undefined],
    ['gitlab', 'https://gitlab.com/acme/shop.git', OWN, 'https://gitlab.com/api/v4'],
  ] as const)('at %s of %s', (provider, url, standard, expected) => {
    expect(derivedApiUrl({ provider, url }, standard)).toBe(expected);
    expect(derivedApiUrl({ provider, url, local: true }, standard)).toBeUndefined();
  });
});
