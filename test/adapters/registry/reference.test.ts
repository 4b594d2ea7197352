import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReference } from '../../../src/adapters/registry/index.ts';
import { apiHost } from '../../../src/adapters/registry/reference.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

function parsed(image: string): string {
  const result = parseReference(image);
  if (!result.ok) return result.problem.code;
  const { host, repository, tag, digest } = result.value;
  return digest === undefined ? `${host} ${repository} ${tag}` : `${host} ${repository} ${tag} ${digest}`;
}

describe('parseReference', () => {
  it.each([
    ['nginx', 'docker.io library/nginx latest'],
    ['nginx:1.27', 'docker.io library/nginx 1.27'],
    ['grafana/grafana:11', 'docker.io grafana/grafana 11'],
    ['docker.io/nginx', 'docker.io library/nginx latest'],
    ['index.docker.io/library/nginx', 'docker.io library/nginx latest'],
    ['registry-1.docker.io/grafana/grafana', 'docker.io grafana/grafana latest'],
    ['registry.hub.docker.com/nginx', 'docker.io library/nginx latest'],
    ['ghcr.io/acme/shop:v1', 'ghcr.io acme/shop v1'],
    ['GHCR.io/acme/shop', 'ghcr.io acme/shop latest'],
    ['quay.io/a', 'quay.io a latest'],
    ['localhost/a', 'localhost a latest'],
    ['localhost:5000/a/b/c:t', 'localhost:5000 a/b/c t'],
    ['127.0.0.1:5000/a', '127.0.0.1:5000 a latest'],
    ['[::1]:5000/a', '[::1]:5000 a latest'],
    ['registry:5000/a', 'registry:5000 a latest'],
    ['acme/shop__x.y-z', 'docker.io acme/shop__x.y-z latest'],
    [`nginx@${DIGEST}`, `docker.io library/nginx latest ${DIGEST}`],
    [`ghcr.io/a/b:v1@${DIGEST}`, `ghcr.io a/b v1 ${DIGEST}`],
  ])('%s -> %s', (image, expected) => expect(parsed(image)).toBe(expected));

  it.each([
    '',
    ' nginx',
    'nginx\n',
    'ng inx',
    'http://nginx',
    '/nginx',
    'a//b',
    'a/',
    'a/../b',
    'a\\b',
    'a?x=1',
    'a#x',
    'nginx:',
    'nginx:-x',
    `nginx:${'x'.repeat(129)}`,
    'Nginx',
    'user@host',
    `@${DIGEST}`,
    `a@${DIGEST}@${DIGEST}`,
    `a@sha256:${'A'.repeat(64)}`,
    'a@sha256:abc',
    'ghcr.io/',
    '-a.io/x',
    'a.io:99999999/x',
    'user:pass@ghcr.io/x',
    '127.0.0.1:5000@evil.io/x',
    'x'.repeat(513),
  ])('refuses %j', (image) => expect(parsed(image)).toBe('invalid_image'));

  it('takes 512 characters', () => expect(parsed('x'.repeat(512))).toContain('docker.io'));

  it('never throws, and what it accepts makes a URL of exactly that host', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.domain().map((d) => `${d}/a:b`),
        ),
        (image) => {
          const result = parseReference(image);
          if (!result.ok) return;
          const host = apiHost(result.value);
          const url = new URL(`https://${host}/v2/${result.value.repository}/manifests/${result.value.tag}`);
          expect(url.username).toBe('');
          expect(url.pathname).toBe(`/v2/${result.value.repository}/manifests/${result.value.tag}`);
        },
      ),
    );
  });
});
