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
  ['A', 'https://token@host/path'],
  ['A', '//user:pass@host'],
  ['A', ' \n postgres://user:pass@host \n'],
  ['A', '-----BEGIN ENCRYPTED PRIVATE KEY-----'],
  ['A', 'x\n-----BEGIN OPENSSH PRIVATE KEY-----\ny'],
  ['A', 'gho_abcdefghijkl'],
  ['A', 'ghu_abcdefghijkl'],
  ['A', 'ghr_abcdefghijkl'],
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
  ['A', 'ghx_abcdefghijkl'],
  ['A', 'github_pat_abcdefghijk'],
  ['A', 'glpat-abcdefghijk'],
  ['A', 'sk-proj-abcdefghijk'],
  ['A', 'sk-abcdefghijklmnop'],
  ['A', 'see http://user:pass@host'],
  ['A', 'http://a b@host'],
  ['A', '-----BEGIN PUBLIC KEY-----'],
])('%s = %j is not sensitive', (name, value) => {
  expect(looksSensitive(name, value)).toBe(false);
});

test.each([
  ['-----BEGIN '.repeat(372), 'headers'],
  ['-----BEGIN A'.repeat(340), 'almost headers'],
  [`eyJ${'a.'.repeat(2046)}`, 'dots'],
  [`a${'+'.repeat(4095)}`, 'a scheme'],
  [`a://${'a'.repeat(4092)}`, 'an authority'],
  [`${' '.repeat(4095)}x`, 'white space'],
  [`ghp_${'-'.repeat(4091)}!`, 'a token'],
])('a value of 4096 bytes is judged at once %#', (value) => {
  const start = performance.now();
  for (let i = 0; i < 100; i += 1) looksSensitive('A', value);
  // 100 values take a few milliseconds; what backtracks takes minutes
  expect(performance.now() - start).toBeLessThan(2000);
});
