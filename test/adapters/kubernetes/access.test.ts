import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readAccess } from '../../../src/adapters/kubernetes/access.ts';
import { connect } from '../../../src/adapters/kubernetes/index.ts';
import { kubeconfigFor } from '../../support/kubernetes.ts';

const URL = 'https://127.0.0.1:6443/';

function refusal(kubeconfigText: string, context?: string): string {
  const result = connect(context === undefined ? { kubeconfigText } : { kubeconfigText, context });
  return result.ok ? 'ok' : `${result.problem.code}: ${result.problem.message}`;
}

describe('the configuration of a cluster', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('refuses to run what a kubeconfig names', () => {
    const plugin =
      'invalid_config: the kubeconfig user has an exec or auth-provider plugin; use a token or a client certificate';
    const exec = { exec: { command: 'touch', args: ['/tmp/never'], apiVersion: 'client.authentication.k8s.io/v1' } };
    expect(refusal(kubeconfigFor(URL, exec))).toBe(plugin);
    expect(refusal(kubeconfigFor(URL, { 'auth-provider': { name: 'gcp', config: {} } }))).toBe(plugin);
  });

  it('refuses what it can not use', () => {
    expect(refusal('not: a kubeconfig')).toMatch(/^invalid_config: /);
    expect(refusal('{')).toMatch(/^invalid_config: /);
    expect(refusal(kubeconfigFor('ftp://x'))).toMatch(/^invalid_config: /);
    expect(refusal(kubeconfigFor(URL), 'another')).toBe('invalid_config: the kubeconfig has no usable current context');
    expect(refusal(kubeconfigFor(URL).replace('"server"', '"proxy-url":"http://p","server"'))).toMatch(/proxy-url/);
    expect(refusal(kubeconfigFor(URL, { tokenFile: '/no/such/file' }))).toMatch(/^invalid_config: /);
    const absent = connect({ kubeconfig: '/no/such/file' });
    expect(absent.ok ? 'ok' : absent.problem.code).toBe('invalid_config');
  });

  it('reads tokens, certificates and files relative to the kubeconfig', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hakopod-kubeconfig-'));
    const file = join(folder, 'config');
    const data = Buffer.from('PEM').toString('base64');
    writeFileSync(
      file,
      kubeconfigFor(URL, { tokenFile: 'token', 'client-certificate-data': data, 'client-key': 'key.pem' }),
    );
    const access = readAccess({ kubeconfig: file });
    expect(access).toMatchObject({
      ok: true,
      value: {
        server: 'https://127.0.0.1:6443',
        token: { file: join(folder, 'token') },
        cert: { data: 'PEM' },
        key: { file: join(folder, 'key.pem') },
        ca: undefined,
        insecure: false,
      },
    });
    rmSync(folder, { recursive: true });
  });

  it('reads the service account of a pod, and says when there is none', () => {
    const none = connect({});
    expect(none.ok ? 'ok' : none.problem.message).toBe(
      'no kubeconfig is configured and this is not a pod of a cluster',
    );
    const root = mkdtempSync(join(tmpdir(), 'hakopod-pod-'));
    const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(folder, { recursive: true });
    for (const name of ['token', 'ca.crt', 'namespace']) writeFileSync(join(folder, name), name);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1');
    vi.stubEnv('KUBERNETES_SERVICE_PORT', '443');
    expect(readAccess({ serviceAccountRoot: root })).toMatchObject({
      ok: true,
      value: {
        server: 'https://10.96.0.1',
        token: { file: join(folder, 'token') },
        ca: { file: join(folder, 'ca.crt') },
      },
    });
    rmSync(root, { recursive: true });
  });
});
