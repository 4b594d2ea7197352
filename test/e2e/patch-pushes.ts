import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deliver, finalOf, startWorld, until, type World } from '../support/world.ts';

/*
 * Patches through the whole product, from commands and pushes to the objects of a cluster: an administrator adds one, a push keeps it, changes
 * it (refused), removes it and adds one (refused).
 */

const APP = 'acme/production/shop';
const PATCH = `
[services.web.kubernetes]
deployment = '''
metadata: {annotations: {example.com/note: ours}}
spec:
  template:
    metadata: {annotations: {prometheus.io/scrape: "true"}}
    spec:
      tolerations: [{key: dedicated, operator: Equal, value: api, effect: NoSchedule}]
      containers: [{name: app, livenessProbe: {httpGet: {path: /livez, port: 8080}, periodSeconds: 10}}]
'''
service = '''
spec: {ports: [{name: metrics, port: 9500}]}
'''
ingress = '''
metadata: {annotations: {haproxy.org/load-balance: leastconn, haproxy.org/timeout-server: 120s}}
'''
`;

/** The suite, on the embedded cluster or on that of a kubeconfig, where nothing has to run: the service is stopped. */
export function describePatchPushes(name: string, kubeconfig?: string): void {
  describe(`patches, commands and pushes: ${name}`, () => {
    let world: World;
    let hook: { url: string; secret: string };
    const file = (build: number, patch = ''): string =>
      `name = "shop"
[services.web]
image = "${world.registry.host}/shop/web:2.0"
port = 8080
public = true
suspended = true
env = { BUILD = "${build}" }
${patch}`;

    beforeAll(async () => {
      world = await startWorld(kubeconfig === undefined ? {} : { kubeconfig });
      const serving = await world.serve({ driftSeconds: 1 });
      const bound = await world.bind();
      hook = { url: `http://127.0.0.1:${serving.port}${bound.path}`, secret: bound.secret };
    });
    afterAll(async () => {
      if (kubeconfig !== undefined) await removeNamespaces(world);
      await world.stop();
    });

    // biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
    async function find(apiVersion: string, kind: string): Promise<any> {
      const application = await world.store.applications.get('acme.production.shop');
      const id = application.ok ? application.value?.spec.id : undefined;
      const found = await world.api.get({ apiVersion, kind, namespace: `hp-${id}`, name: 'web' });
      return found.ok ? found.value : undefined;
    }
    const deployment = () => find('apps/v1', 'Deployment');
    const ingress = () => find('networking.k8s.io/v1', 'Ingress');
    const service = () => find('v1', 'Service');

    async function push(text: string) {
      const commit = await world.tree.push('hakopod.toml', text, 'a change');
      expect((await deliver(hook, { commit })).status).toBe(202);
      return finalOf(world, commit, 60_000);
    }
    async function deploy(text: string): Promise<{ readonly code: number; readonly out: string }> {
      const path = join(world.folder, 'by-hand.toml');
      await writeFile(path, text);
      const [project = '', environment = ''] = APP.split('/');
      return world.cli(['deploy', path, '--project', project, '--environment', environment, '--wait']);
    }
    const isPatched = async (): Promise<void> => {
      expect(await deployment()).toMatchObject({
        metadata: { annotations: { 'example.com/note': 'ours' } },
        spec: {
          template: {
            metadata: { annotations: { 'prometheus.io/scrape': 'true' } },
            spec: {
              tolerations: [{ key: 'dedicated' }],
              containers: [{ name: 'app', livenessProbe: { httpGet: { path: '/livez' } } }],
            },
          },
        },
      });
      expect((await service()).spec.ports.map((port: { name: string }) => port.name).sort()).toEqual([
        'metrics',
        'service',
      ]);
      expect((await ingress()).metadata.annotations).toMatchObject({
        'haproxy.org/load-balance': 'leastconn',
        'haproxy.org/timeout-server': '120s',
      });
    };
    const settle = (): Promise<unknown> =>
      until('nothing waits', async () => {
        const releases = await world.store.releases.ofApplication('acme.production.shop');
        return releases.ok && releases.value.every(({ status }) => status.finishedAt !== undefined);
      });

    it('needs the setting before anybody adds a patch', async () => {
      expect(await push(file(1))).toMatchObject({ state: 'success' });
      const refused = await deploy(file(1, PATCH));
      expect(refused.code).not.toBe(0);
      expect(refused.out).toContain('kubernetes_patches_disabled');
      expect(await world.cli(['settings', 'set', 'kubernetes-patches', 'enabled=true'])).toMatchObject({ code: 0 });
    });

    it('refuses a push that adds a patch, also with the setting on', async () => {
      const before = JSON.stringify([await deployment(), await service(), await ingress()]);
      const status = await push(file(1, PATCH));
      expect(status.state).toBe('failure');
      expect(status.description).toContain('services.web.kubernetes');
      expect(JSON.stringify([await deployment(), await service(), await ingress()])).toBe(before);
    });

    it('deploys a patch for an administrator, shows it in the manifests, and accepts a push that keeps it', async () => {
      const deployed = await deploy(file(2, PATCH));
      expect(deployed.out).toContain('succeeded');
      await isPatched();
      const shown = await world.cli(['manifests', APP, '--service', 'web']);
      expect(shown.code).toBe(0);
      const objects = parseAllDocuments(shown.out).map((document) => document.toJS());
      expect(objects.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'Ingress']);
      expect(objects[0].metadata.annotations['example.com/note']).toBe('ours');
      const dryRuns = await Promise.all(objects.map((object) => world.api.apply(object, { dryRun: true })));
      expect(dryRuns.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(await push(file(3, PATCH))).toMatchObject({ state: 'success' });
      await isPatched();
      expect(JSON.stringify(await deployment())).toContain('"value":"3"');
    });

    it('accepts the kept patch with the setting off, and refuses another byte', async () => {
      expect(await world.cli(['settings', 'set', 'kubernetes-patches', 'enabled=false'])).toMatchObject({ code: 0 });
      expect(await push(file(4, PATCH))).toMatchObject({ state: 'success' });
      const other = await push(file(4, PATCH.replace('periodSeconds: 10', 'periodSeconds: 11')));
      expect(other).toMatchObject({ state: 'failure' });
      expect(other.description).toContain('services.web.kubernetes');
      await isPatched();
    });

    it('puts a hand edit of what a patch set right at rest', async () => {
      await settle();
      const live = await ingress();
      const ref = { apiVersion: live.apiVersion, kind: 'Ingress', namespace: live.metadata.namespace, name: 'web' };
      const edit = { metadata: { annotations: { 'haproxy.org/timeout-server': '1s' } } };
      expect((await world.api.mergePatch(ref, edit)).ok).toBe(true);
      await until('the edit is gone', async () => {
        const { annotations } = (await ingress()).metadata;
        return annotations['haproxy.org/timeout-server'] === '120s';
      });
    });

    it('accepts a push that removes the patch, and takes back what it set', async () => {
      expect(await push(file(5))).toMatchObject({ state: 'success' });
      const after = await deployment();
      expect(after.metadata.annotations['example.com/note']).toBeUndefined();
      expect(after.spec.template.metadata.annotations?.['prometheus.io/scrape']).toBeUndefined();
      expect(after.spec.template.spec.tolerations ?? []).toEqual([]);
      expect(after.spec.template.spec.containers[0].livenessProbe).toBeUndefined();
      expect((await service()).spec.ports).toHaveLength(1);
      expect((await ingress()).metadata.annotations['haproxy.org/load-balance']).toBeUndefined();
      expect(await push(file(6, PATCH))).toMatchObject({ state: 'failure' });
    });
  });
}

async function removeNamespaces(world: World): Promise<void> {
  const application = await world.store.applications.get('acme.production.shop');
  const names = [application.ok ? `hp-${application.value?.spec.id}` : '', world.settings.HAKOPOD_NAMESPACE ?? ''];
  for (const name of names) {
    const ref = { apiVersion: 'v1', kind: 'Namespace', name };
    const live = await world.api.get(ref);
    const uid = live.ok ? live.value?.metadata.uid : undefined;
    if (uid !== undefined) await world.api.delete(ref, { uid, propagation: 'Background' });
  }
}
