import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { coloursWanted, loadConfig } from '../src/config.ts';

function withFile<T>(text: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'hakopod-config-'));
  try {
    const path = join(folder, 'hakopod.yaml');
    writeFileSync(path, text);
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('loadConfig', () => {
  it('has defaults for everything that has a sensible one, and no secret among them', () => {
    const config = loadConfig({}, {});
    expect(config).toMatchObject({
      ok: true,
      value: {
        roles: ['server', 'worker'],
        hookBodyBytes: 5 * 1024 * 1024,
        namespace: 'hakopod-system',
        localRepositories: false,
      },
    });
  });

  it('takes flags over environment over file', () => {
    withFile('appDomain: from-file.example\nnamespace: from-file\nlogLevel: warn\n', (path) => {
      const config = loadConfig(
        { namespace: 'from-flag' },
        { HAKOPOD_CONFIG: path, HAKOPOD_NAMESPACE: 'from-env', HAKOPOD_APP_DOMAIN: 'from-env.example' },
      );
      expect(config).toMatchObject({
        ok: true,
        value: { namespace: 'from-flag', appDomain: 'from-env.example', logLevel: 'warn' },
      });
    });
  });

  it('understands REDIS_URL and KUBECONFIG', () => {
    expect(loadConfig({}, { REDIS_URL: 'redis://127.0.0.1:6379', KUBECONFIG: '/k' })).toMatchObject({
      ok: true,
      value: { redisUrl: 'redis://127.0.0.1:6379', kubeconfig: '/k' },
    });
  });

  it.each([
    [{ HAKOPOD_ROLLOUT_TIMEOUT_SECONDS: '29' }, 'HAKOPOD_ROLLOUT_TIMEOUT_SECONDS'],
    [{ HAKOPOD_ROLLOUT_TIMEOUT_SECONDS: '901' }, 'HAKOPOD_ROLLOUT_TIMEOUT_SECONDS'],
    [{ HAKOPOD_EXEC_IDLE_SECONDS: '901' }, 'HAKOPOD_EXEC_IDLE_SECONDS'],
    [{ HAKOPOD_EXEC_LIFETIME_SECONDS: '28801' }, 'HAKOPOD_EXEC_LIFETIME_SECONDS'],
    [{ HAKOPOD_ROLES: 'server,cook' }, 'HAKOPOD_ROLES'],
    [{ HAKOPOD_PUBLIC_URL: 'ftp://x.example' }, 'HAKOPOD_PUBLIC_URL'],
    [{ HAKOPOD_PUBLIC_URL: 'https://user:canary@x.example' }, 'HAKOPOD_PUBLIC_URL'],
    [{ HAKOPOD_REDIS_URL: 'http://canary' }, 'HAKOPOD_REDIS_URL'],
    [{ HAKOPOD_LISTEN: 'canary' }, 'HAKOPOD_LISTEN'],
    [{ HAKOPOD_LISTEN: '127.0.0.1:65536' }, 'HAKOPOD_LISTEN'],
    [{ HAKOPOD_HOOK_BODY_BYTES: '99999999' }, 'HAKOPOD_HOOK_BODY_BYTES'],
    [{ HAKOPOD_ROLSE: 'server' }, 'HAKOPOD_ROLSE'],
  ])('refuses %j by the name of the setting, never its value', (env, at) => {
    const config = loadConfig({}, env);
    expect(config).toMatchObject({ ok: false, problem: { code: 'invalid_config', at: expect.stringContaining(at) } });
    if (!config.ok) expect(JSON.stringify(config.problem)).not.toContain('canary');
  });

  it('refuses a file with a misspelt setting, and one that is no mapping', () => {
    withFile('appDomian: x.example\n', (path) => {
      expect(loadConfig({ config: path }, {})).toMatchObject({
        ok: false,
        problem: { code: 'invalid_config', at: expect.stringContaining('appDomian') },
      });
    });
    withFile('- a\n- b\n', (path) => {
      expect(loadConfig({ config: path }, {})).toMatchObject({
        ok: false,
        problem: { code: 'invalid_config', at: 'config' },
      });
    });
    expect(loadConfig({ config: '/does/not/exist' }, {})).toMatchObject({
      ok: false,
      problem: { code: 'invalid_config' },
    });
  });

  it.each([
    ['1.1.1.1', ['1.1.1.1']],
    ['127.0.0.1:5353, 2606:4700:4700::1111', ['127.0.0.1:5353', '2606:4700:4700::1111']],
    ['[::1]:53', ['[::1]:53']],
    ['dns.example.com', undefined],
    ['1.1.1.1:0', undefined],
    ['1.1.1.1:65536', undefined],
    ['1.1.1', undefined],
    ['[1.1.1.1', undefined],
  ])('takes addresses as name servers and no names: %s', (text, expected) => {
    const config = loadConfig({}, { HAKOPOD_DNS_SERVERS: text });
    expect(config.ok ? config.value.dnsServers : undefined).toEqual(expected);
  });

  it('reads switches as words, so that "false" is false', () => {
    expect(loadConfig({}, { HAKOPOD_LOCAL_REPOSITORIES: 'false' })).toMatchObject({
      ok: true,
      value: { localRepositories: false },
    });
    expect(loadConfig({}, { HAKOPOD_LOCAL_REPOSITORIES: 'true' })).toMatchObject({
      ok: true,
      value: { localRepositories: true },
    });
  });
});

describe('colours', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    [true, undefined, true],
    [true, '', true],
    [true, '1', false],
    [true, '0', false],
    [false, undefined, false],
  ])('terminal %s with NO_COLOR %s: %s', (isTerminal, noColor, expected) => {
    vi.stubEnv('NO_COLOR', noColor);
    expect(coloursWanted(isTerminal)).toBe(expected);
  });
});
