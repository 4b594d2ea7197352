import { expect, test } from 'vitest';
import { looksSensitive } from '../../src/spec/sensitive.ts';

test.each([
  ['PASSWORD', ''],
  ['db_password', 'x'],
  ['DB_PASSWD', 'x'],
  ['X_PWD', 'x'],
  ['GITHUB_TOKEN', 'x'],
  ['MY_SECRET', 'x'],
  ['STRIPE_API_KEY', 'x'],
  ['A_PRIVATE_KEY', 'x'],
  ['A_ACCESS_KEY', 'x'],
  ['A_ACCESS_KEY_ID', 'x'],
  ['A_SECRET_KEY', 'x'],
  ['A_CLIENT_SECRET', 'x'],
  ['A_SIGNING_KEY', 'x'],
  ['A_ENCRYPTION_KEY', 'x'],
  ['API_KEY_NEXT', 'x'],
  ['A_SECRET_KEY_B', 'x'],
  ['A', '-----BEGIN RSA PRIVATE KEY-----\nabc'],
  ['A', 'x -----BEGIN PRIVATE KEY-----'],
  ['A', 'ghp_abcdefghijkl'],
  ['A', 'ghs_abcdefghijkl'],
  ['A', 'github_pat_abcdefghijkl'],
  ['A', ' glpat-abcdefghijkl'],
  ['A', 'sk-proj-abcdefghijkl'],
  ['A', 'eyJhbGciOi.eyJzdWIi.abc'],
  ['A', 'postgres://user:pass@host/db'],
  ['A', 'mongodb://u:p@h1:1,h2:2/db'],
  ['A', 'redis://:pass@host'],
])('%s = %j is sensitive', (name, value) => {
  expect(looksSensitive(name, value)).toBe(true);
});

test.each([
  ['PASSWORDS', 'x'],
  ['TOKENIZER', 'x'],
  ['SECRETARY', 'x'],
  ['MYPASSWORD', 'x'],
  ['APIKEY', 'x'],
  ['A_API_KEYS', 'x'],
  ['A', 'ghp_abcdefghijk'],
  ['A', 'x ghp_abcdefghijkl'],
  ['A', 'eyJhbGciOi.abc'],
  ['A', 'http://host/path?to=a@b'],
  ['A', 'http://host/a@b'],
  ['A', 'someone@example.com'],
  ['A', '-----BEGIN PUBLIC KEY-----'],
])('%s = %j is not sensitive', (name, value) => {
  expect(looksSensitive(name, value)).toBe(false);
});
