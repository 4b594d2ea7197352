import { expect, test } from 'vitest';
import { imageRegistry, validImage } from '../../src/spec/image.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

test.each([
  ['nginx', true],
  ['nginx:1.2', true],
  [`ghcr.io/a/b:1@${DIGEST}`, true],
  ['localhost:5000/a', true],
  ['a'.repeat(512), true],
  ['a'.repeat(513), false],
  ['', false],
  ['a b', false],
  ['a\tb', false],
  ['a\nb', false],
  ['a\u0000', false],
  ['a\\b', false],
  ['a?b', false],
  ['a#b', false],
  ['https://a/b', false],
  ['/a', false],
  ['a/../b', false],
  [`@${DIGEST}`, false],
  [`a@b@${DIGEST}`, false],
  ['a@sha256:abc', false],
  [`a@sha256:${'A'.repeat(64)}`, false],
])('image %j: %s', (image, valid) => {
  expect(validImage(image)).toBe(valid);
});

test.each([
  ['nginx', 'docker.io'],
  ['nginx:1.2', 'docker.io'],
  ['library/nginx', 'docker.io'],
  ['index.docker.io/library/nginx', 'docker.io'],
  ['registry-1.docker.io/library/nginx', 'docker.io'],
  ['GHCR.io/a/b', 'ghcr.io'],
  ['localhost/a', 'localhost'],
  ['registry:5000/a', 'registry:5000'],
  [`nginx@${DIGEST}`, 'docker.io'],
  ['ghcr.io', 'docker.io'],
])('the registry of %s is %s', (image, host) => {
  expect(imageRegistry(image)).toBe(host);
});
