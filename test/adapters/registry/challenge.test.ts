import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTrustedRealm, parseChallenge } from '../../../src/adapters/registry/challenge.ts';

describe('parseChallenge', () => {
  const hub =
    'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/nginx:pull"';
  it.each([
    [hub, { scheme: 'bearer', realm: 'https://auth.docker.io/token', service: 'registry.docker.io' }],
    ['bearer realm="https://a/t"', { scheme: 'bearer', realm: 'https://a/t', service: undefined }],
    ['Basic realm="Registry"', { scheme: 'basic' }],
    ['Basic realm="x", Bearer realm="https://a/t"', { scheme: 'bearer', realm: 'https://a/t', service: undefined }],
    ['Bearer service="x"', undefined],
    ['Digest realm="x"', undefined],
    ['', undefined],
    [`Bearer realm="${'x'.repeat(5000)}"`, undefined],
  ])('%s', (header, expected) => expect(parseChallenge(header)).toEqual(expected));

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void [parseChallenge(text), parseChallenge(`Bearer ${text}`)]));
  });
});

describe('isTrustedRealm', () => {
  it.each([
    ['ghcr.io', 'ghcr.io'],
    ['registry-1.docker.io', 'auth.docker.io'],
    ['registry.gitlab.com', 'gitlab.com'],
    ['docker.elastic.co', 'docker-auth.elastic.co'],
    ['registry.example.co.uk', 'auth.example.co.uk'],
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
  ])('%s may name %s', (registry, realm) => expect(isTrustedRealm(registry, realm)).toBe(true));

  it.each([
    ['ghcr.io', 'evil.io'],
    ['ghcr.io', 'evilghcr.io'],
    ['registry.gitlab.com', 'evilgitlab.com'],
    ['registry.gitlab.com', 'com'],
    ['example.co.uk', 'evil.co.uk'],
    ['example.co.uk', 'co.uk'],
    ['registry.example.com', 'example.com.evil.io'],
    ['10.0.0.1', '20.0.0.1'],
    ['registry', 'evil'],
    ['[::1]', '[::2]'],
  ])('%s may not name %s', (registry, realm) => expect(isTrustedRealm(registry, realm)).toBe(false));
});
