import { describe, expect, it } from 'vitest';
import { checkRemoteUrl } from '../../../src/adapters/git/index.ts';
import { isForgeAddress, isHereAddress } from '../../../src/adapters/git/remote-url.ts';
import { code } from './support.ts';

describe('checkRemoteUrl', () => {
  it.each(['https://github.com/acme/shop.git', 'https://git.example.com:8443/a/b/c', 'https://10.0.0.7/a.git'])(
    'takes %s',
    (url) => expect(code(checkRemoteUrl(url, { local: false }))).toBe('ok'),
  );

  it.each([
    'ssh://git@github.com/acme/shop.git',
    'SSH://github.com/acme/shop.git',
    'git+ssh://git@github.com/acme/shop.git',
    'git@github.com:acme/shop.git',
    'github.com:acme/shop.git',
  ])('says in plain words that SSH is not supported: %s', (url) => {
    const result = checkRemoteUrl(url, { local: true });
    expect(code(result)).toBe('ssh_unsupported');
    expect(!result.ok && result.problem.message).toContain('https');
  });

  it.each([
    '',
    'acme/shop',
    '/srv/git/shop.git',
    'file:///srv/git/shop.git',
    'ext::sh -c touch% /tmp/x',
    'git://github.com/acme/shop.git',
    'javascript:alert(1)',
    'https://user@github.com/acme/shop',
    'https://user:secret@github.com/acme/shop',
    'https://@github.com/acme/shop',
    'https://github.com/acme/shop?x=1',
    'https://github.com/acme/shop?',
    'https://github.com/acme/shop#main',
    'https://github.com/',
    'https://github.com/a\nb',
    'https://github.com\\@evil.example/a',
    '--upload-pack=touch',
    `https://github.com/${'a'.repeat(3000)}`,
  ])('refuses %j', (url) => expect(code(checkRemoteUrl(url, { local: true }))).toBe('invalid_url'));

  it('never repeats a password in its words', () => {
    const result = checkRemoteUrl('https://user:canary-9@github.com/acme/shop', { local: false });
    expect(JSON.stringify(result)).not.toContain('canary-9');
  });

  it.each([
    'http://github.com/acme/shop',
    'https://localhost/a',
    'https://LOCALHOST./a',
    'https://x.localhost/a',
    'https://127.0.0.1/a',
    'https://127.1/a',
    'https://2130706433/a',
    'https://0x7f.0.0.1/a',
    'https://0.0.0.0/a',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/a',
    'https://[::]/a',
    'https://[fe80::1]/a',
    'https://[::ffff:127.0.0.1]/a',
    'https://[::ffff:a9fe:a9fe]/a',
  ])('takes %s only as a local remote', (url) => {
    expect(code(checkRemoteUrl(url, { local: false }))).toBe('invalid_url');
    expect(code(checkRemoteUrl(url, { local: true }))).toBe('ok');
  });
});

describe('isHereAddress', () => {
  it.each(['127.0.0.1', '169.254.0.1', '::1', 'fe80::2', '::ffff:127.0.0.1'])('knows %s', (address) =>
    expect(isHereAddress(address)).toBe(true),
  );
  it.each(['10.1.2.3', '192.168.0.1', '140.82.121.4', '2606:50c0::1', 'github.com'])('lets %s pass', (address) =>
    expect(isHereAddress(address)).toBe(false),
  );
});

describe('isForgeAddress', () => {
  const own = ['forge.inside.example'];

  it.each([
    ['gitlab.example.com', '93.184.216.34', true],
    ['gitlab.example.com', '10.0.0.7', true],
    ['gitlab.example.com', '127.0.0.1', false],
    ['gitlab.example.com', '::1', false],
    ['gitlab.example.com', '169.254.169.254', false],
    ['gitlab.example.com', '::ffff:127.0.0.1', false],
    ['forge.inside.example', '127.0.0.1', true],
    // Nobody but an administrator may name these: `checkRemoteUrl` refuses them.
    ['127.0.0.1', '127.0.0.1', true],
    ['localhost', '127.0.0.1', true],
  ])('%s at %s: %s', (host, address, allowed) => expect(isForgeAddress(host, address, own)).toBe(allowed));
});
