import { describe, expect, it } from 'vitest';
import { createLog, redact } from '../../src/adapters/log/index.ts';

describe('the log', () => {
  it.each([
    ['a token field', { token: 'abc' }],
    ['a nested password', { a: { dbPassword: 'abc' } }],
    ['a forge token in text', { text: 'using ghp_0123456789abcdef0123456789abcdef0123' }],
    ['a GitLab token', { text: 'glpat-0123456789abcdef0123' }],
    ['a URL with a password', { url: 'https://user:abc@git.example/x' }],
    ['a bearer header', { text: 'Authorization: Bearer abcdefghijklmnop' }],
    ['a JWT', { text: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def' }],
    ['a private key', { text: '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----' }],
    ['a token in an error', { error: new Error('fetch https://user:abc@git.example failed') }],
  ])('hides %s', (_what, fields) => {
    const text = JSON.stringify(redact(fields));
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(/abc|ghp_|glpat|eyJ/);
  });

  it('leaves plain facts alone and survives what is deep or circular', () => {
    expect(redact({ commit: 'a'.repeat(40), n: 1, list: ['x'] })).toEqual({
      commit: 'a'.repeat(40),
      n: 1,
      list: ['x'],
    });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    expect(JSON.stringify(redact(circular))).toContain('[deep]');
  });

  it('writes one JSON line, with bound fields, at its level and above', () => {
    const lines: string[] = [];
    const log = createLog('info', (line) => lines.push(line)).with({ source: 's' });
    log.debug('not this');
    log.warn('this', { code: 'conflict' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: 'this', source: 's', code: 'conflict' });
  });
});
