import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { deployment, job, service } from './fixtures.ts';

const KUBECTL = '/usr/bin/kubectl';
const present = existsSync(KUBECTL);
if (!present) console.log(`skipped: ${KUBECTL} is not installed`);
const run = promisify(execFile);

/** kubectl is the oracle: what it understands is what a client of a real cluster would. */
describe.skipIf(!present)('kubectl against the embedded cluster', { timeout: 30_000 }, () => {
  let cluster: EmbeddedCluster;
  let dir: string;
  let file: string;

  async function kubectl(...args: readonly string[]): Promise<string> {
    const env = { KUBECONFIG: join(dir, 'config'), HOME: dir, PATH: '' };
    const { stdout } = await run(KUBECTL, args, { env });
    return stdout;
  }

  beforeAll(async () => {
    cluster = await startEmbeddedCluster();
    dir = await mkdtemp(join(tmpdir(), 'embedded-'));
    file = join(dir, 'all.json');
    await writeFile(join(dir, 'config'), cluster.kubectlConfig);
    const list = { apiVersion: 'v1', kind: 'List', items: [deployment('web'), service('web'), job('migrate')] };
    await writeFile(file, JSON.stringify(list));
  });

  afterAll(async () => {
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('applies, waits, gets, selects, reads logs and deletes', async () => {
    const applied = await kubectl('apply', '--validate=false', '-f', file);
    expect(applied.match(/created/g)).toHaveLength(3);
    await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=10s');
    await kubectl('wait', '--for=condition=Complete', 'job/migrate', '--timeout=10s');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=10s');
    expect(await kubectl('get', 'deployments')).toMatch(/web\s+1\s+1\s+1/);
    expect(await kubectl('get', 'pods', '-l', 'app in (web)', '-o', 'name')).toMatch(/^pod\/web-/);
    expect(await kubectl('get', 'pods', '-l', 'app=web,!missing', '-o', 'name')).toMatch(/^pod\/web-/);
    expect(await kubectl('get', 'pods', '-l', 'app notin (web)', '-o', 'name')).toMatch(/^pod\/migrate-/);
    expect(await kubectl('logs', 'deployment/web')).toContain('hello');
    expect(await kubectl('delete', '-f', file, '--timeout=10s')).toMatch(/deleted/);
    expect(await kubectl('get', 'deployments,services,jobs,pods', '-o', 'name')).toBe('');
  });

  it('applies server-side, by force over another manager, and unchanged without a write', async () => {
    const args = ['apply', '--server-side', '--validate=false', '-f', file];
    await kubectl(...args, '--field-manager=other');
    await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=10s');
    const changed = join(dir, 'changed.json');
    await writeFile(changed, JSON.stringify(deployment('web', { image: 'example.org/app:2' })));
    await expect(kubectl('apply', '--server-side', '--validate=false', '-f', changed)).rejects.toThrow(
      /conflict with "other"/,
    );
    await kubectl('apply', '--server-side', '--force-conflicts', '--validate=false', '-f', changed);
    const image = await kubectl('get', 'deployment/web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}');
    expect(image).toBe('example.org/app:2');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=10s');
    const version = await kubectl('get', 'deployment/web', '-o', 'jsonpath={.metadata.resourceVersion}');
    await kubectl('apply', '--server-side', '--force-conflicts', '--validate=false', '-f', changed);
    expect(await kubectl('get', 'deployment/web', '-o', 'jsonpath={.metadata.resourceVersion}')).toBe(version);
  });

  it('scales, creates a CRD and gets its objects with its columns', async () => {
    await kubectl('scale', 'deployment/web', '--replicas=3');
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=10s');
    expect(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).toMatch(/(pod\/web-\S+\n){3}/);
    const definition = join(dir, 'crd.json');
    await writeFile(definition, JSON.stringify((await import('./fixtures.ts')).widgets()));
    await kubectl('create', '--validate=false', '-f', definition);
    await kubectl('wait', '--for=condition=Established', 'crd/widgets.example.org', '--timeout=10s');
    const widget = join(dir, 'widget.json');
    const body = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 3 } };
    await writeFile(widget, JSON.stringify(body));
    await kubectl('apply', '--validate=false', '-f', widget);
    expect(await kubectl('get', 'widgets')).toMatch(/NAME\s+SIZE[\s\S]*a\s+3/);
    expect(await kubectl('get', 'widgets', '--field-selector', 'spec.color=red', '-o', 'name')).toContain(
      'widget.example.org/a',
    );
    await kubectl('delete', 'namespace', 'kube-public', '--timeout=10s');
    expect(await kubectl('get', 'namespaces', '-o', 'name')).not.toContain('kube-public');
  });
});
