import { expect, test } from 'vitest';
import { validHostname } from '../../src/spec/schema-parts.ts';

test.each([
  ['a.example.com', true],
  [`${'a'.repeat(63)}.com`, true],
  [`${'a'.repeat(64)}.com`, false],
  [`${'a.'.repeat(120)}coma`, true],
  [`${'a.'.repeat(120)}comab`, false],
  ['localhost', false],
  ['A.example.com', false],
  ['*.example.com', false],
  ['https://a.com', false],
  ['a.com:80', false],
  ['a.com/b', false],
  ['a.com.', false],
  ['-a.com', false],
  ['1.2.3.4', false],
  ['1.com', true],
])('host %s: %s', (host, valid) => {
  expect(validHostname(host)).toBe(valid);
});
