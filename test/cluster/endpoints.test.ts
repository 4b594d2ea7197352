import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { missingForBuilds } from '../support/docker-registry.ts';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { pushBusybox } from '../support/real-pods.ts';
import { until } from '../support/world.ts';
import { applicationNamespace, type Installation, install, removeNow } from './installation.ts';

/*
 * Host names of one container on two ports, custom domains from a pending claim to a rule of the Ingress, and uploaded certificates, with
 * the rights the chart gives. The cluster has no ingress controller: what it would be told is the Ingress, and the ports answer in the pod.
 */
const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const reason =
  kubeconfig === undefined || registry === undefined || rig === undefined
    ? 'no cluster of our own whose nodes pull from HAKOPOD_TEST_REGISTRY'
    : await missingForBuilds();
if (reason !== undefined) console.warn(`SKIPPED: host names of real pods: ${reason}`);

// Releases of real pods take their time on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const PLACE = { project: 'acme', environment: 'production' };
const SCOPE = new URLSearchParams({ ...PLACE, application: 'shop' }).toString();
type Refusal = { readonly code: string; readonly message: string };
const HOST = 'shop.example.com';
const CERTIFICATES = resolve(import.meta.dirname, '../fixtures/certificates');

function file(image: string, name: string, extra = ''): string {
  return `name = "${name}"
[services.web]
image = "${image}"
command = ["sh", "-c", "httpd -p 8080 -h /one && exec httpd -f -p 9001 -h /two"]
port = 8080
public = true
healthcheck = "/"
files = { one = { mount_path = "/one/index.html", content = "the shop" }, two = { mount_path = "/two/index.html", content = "its console" } }
${extra}
[[services.web.ports]]
name = "console"
port = 9000
target_port = 9001
[services.web.http.console]
port = 9000
${name === 'plain' ? '' : `domain = "${HOST}"\n[domains]\n"${HOST}" = "web"\n`}`;
}

type IngressSpec = {
  readonly rules: readonly {
    readonly host: string;
    readonly http: {
      readonly paths: readonly {
        readonly backend: { readonly service: { readonly port: { readonly number: number } } };
      }[];
    };
  }[];
  readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
};

describe.skipIf(reason !== undefined)('host names on a real cluster', () => {
  const namespace = `hakopod-test-${randomBytes(4).toString('hex')}`;
  const records = new Map<string, string>();
  let names: NameServer;
  let there: Installation;
  let image: string;
  let own: string | undefined;
  let key: string | undefined;
  let revision = 0;

  beforeAll(async () => {
    names = await startNameServer((name) => {
      const text = records.get(name);
      return text === undefined ? 'nxdomain' : [[text]];
    });
    image = await pushBusybox({ registry: registry!, storage: rig! });
    const settings = { HAKOPOD_DNS_SERVERS: names.address, HAKOPOD_POLICY_SETTLE_SECONDS: '0' };
    there = await install({ kubeconfig: kubeconfig!, namespace, registry: registry!, settings });
  });
  afterAll(async () => {
    if (there !== undefined) {
      const name = own ?? (await applicationNamespace(there).catch(() => undefined));
      if (name !== undefined) await removeNow(there.admin, { apiVersion: 'v1', kind: 'Namespace', name });
      await there.stop();
    }
    names?.stop();
  });

  /** Asks the server, which has the chart's rights and no others, as the first administrator. */
  async function api<T>(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly value: T }> {
    key ??= await firstKey();
    const answer = await fetch(`${there.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'idempotency-key': randomBytes(8).toString('hex'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, value: (await answer.json()) as T };
  }

  async function firstKey(): Promise<string> {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'hakopod-admin-key' };
    let found = '';
    await until('the first key is there', async () => {
      const data = must(await there.admin.get(ref))?.data as Readonly<Record<string, string>> | undefined;
      found = Buffer.from(data?.key ?? '', 'base64').toString();
      return found !== '';
    });
    return found;
  }

  type Release = {
    readonly id: string;
    readonly application_id: string;
    readonly status: string;
  };

  /** Releases a file and waits for the end; answers the application's id. */
  async function deploy(toml: string): Promise<string> {
    const accepted = await api<Release>('POST', '/deployments', { ...PLACE, toml, expected_revision: revision });
    expect([accepted.status, accepted.value]).toEqual([202, expect.anything()]);
    revision += 1;
    let last: Release = accepted.value;
    await until(
      'the release has ended',
      async () => {
        last = (await api<Release>('GET', `/deployments/${last.id}`)).value;
        await new Promise((done) => setTimeout(done, 500));
        return !['queued', 'running'].includes(last.status);
      },
      200_000,
    );
    expect(last).toMatchObject({ status: 'succeeded' });
    own = `hp-${last.application_id}`;
    return last.application_id;
  }

  /** Why a file is refused. */
  async function refusal(toml: string, expected: number): Promise<Refusal> {
    const answer = await api<{ readonly error: Refusal }>('POST', '/deployments', {
      ...PLACE,
      toml,
      expected_revision: expected,
    });
    return answer.value.error;
  }

  async function ingress(): Promise<IngressSpec> {
    own ??= await applicationNamespace(there);
    const ref = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', namespace: own, name: 'web' };
    return must(await there.admin.get(ref))?.spec as IngressSpec;
  }

  const ports = ({ rules }: IngressSpec): Record<string, number | undefined> =>
    Object.fromEntries(rules.map(({ host, http }) => [host, http.paths[0]?.backend.service.port.number]));

  async function page(port: number): Promise<string> {
    const query = { apiVersion: 'v1', kind: 'Pod', namespace: own ?? '', labelSelector: 'hakopod.io/service=web' };
    const pods = must(await there.admin.list(query)) as readonly Manifest[];
    const pod = pods.find(({ metadata }) => metadata.deletionTimestamp === undefined);
    return (await there.raw(`/api/v1/namespaces/${own}/pods/${pod?.metadata.name}:${port}/proxy/`)).text;
  }

  it('has one for each of two ports of a container, and both answer in the pod', async () => {
    await deploy(file(image, 'shop'));
    const spec = await ingress();
    const id = own?.slice(3, 15);
    expect(ports(spec)).toEqual({
      [`web-${id}.apps.example.test`]: 8080,
      [`web-console-${id}.apps.example.test`]: 9000,
    });
    expect(spec.tls).toBeUndefined();
    expect([await page(8080), await page(9001)]).toEqual(['the shop', 'its console']);
    const service = { apiVersion: 'v1', kind: 'Service', namespace: own ?? '', name: 'web' };
    expect(must(await there.admin.get(service))?.spec).toMatchObject({
      ports: [
        { name: 'service', port: 8080, targetPort: 8080 },
        { name: 'console', port: 9000, targetPort: 9001 },
      ],
    });
  });

  it('keeps a custom domain waiting until its record is there, and then leads it to its port by itself', async () => {
    type Domain = {
      readonly host: string;
      readonly status: string;
      readonly challenge: { readonly name: string; readonly value: string };
    };
    const path = `/applications/${own?.slice(3)}/domains`;
    const [domain] = (await api<{ readonly items: readonly Domain[] }>('GET', path)).value.items;
    expect(domain).toMatchObject({ host: HOST, service: 'web', status: 'pending' });
    expect(await api('POST', `${path}/${HOST}/verify`, {})).toMatchObject({
      status: 409,
      value: { error: { code: 'domain_not_verified' } },
    });
    expect(Object.keys(ports(await ingress()))).not.toContain(HOST);
    records.set(domain?.challenge.name ?? '', domain?.challenge.value ?? '');
    expect(await api('POST', `${path}/${HOST}/verify`, {})).toMatchObject({ status: 200, value: { status: 'active' } });
    await until('the domain leads to its service', async () => ports(await ingress())[HOST] === 9000, 60_000);
    expect(names.asked).toContain(`_hakopod-challenge.${HOST}`);
  });

  it('refuses the domain to another application', async () => {
    expect(await refusal(file(image, 'blog'), 0)).toMatchObject({ code: 'domain_taken' });
  });

  it('serves an uploaded certificate, and refuses one with the host it does not cover', async () => {
    const upload = async (name: string): Promise<string> => {
      const [certificate, key] = await Promise.all(
        ['pem', 'key'].map((end) => readFile(`${CERTIFICATES}/${name}.${end}`, 'utf8')),
      );
      const body = { service: 'web', certificate_pem: certificate, private_key_pem: key };
      const made = await api<{ readonly name: string }>('POST', `/certificates?${SCOPE}`, body);
      expect(made.status).toBe(201);
      return made.value.name;
    };
    const exact = await upload('exact');
    const tls = (name: string): string => file(image, 'shop', `tls = { certificate = "${name}" }`);
    const refused = await refusal(tls(exact), revision);
    expect(refused.code).toBe('certificate_refused');
    expect(refused.message).toMatch(/does not cover web-[0-9a-f]{12}\.apps\.example\.test/);
    const wildcard = await upload('wildcard');
    await deploy(tls(wildcard));
    const spec = await ingress();
    expect(spec.tls).toEqual([{ hosts: spec.rules.map(({ host }) => host), secretName: wildcard }]);
    expect(spec.rules).toHaveLength(3);
    const secret = { apiVersion: 'v1', kind: 'Secret', namespace: own ?? '', name: wildcard };
    expect(must(await there.admin.get(secret))).toMatchObject({ type: 'kubernetes.io/tls', immutable: true });
    const remove = async (name: string): Promise<number> =>
      (await api('DELETE', `/certificates/${name}?${SCOPE}`)).status;
    expect([await remove(exact), await remove(wildcard)]).toEqual([200, 409]);
    expect(there.lines.join('')).not.toMatch(/PRIVATE KEY/);
  });

  it('frees the domain, and takes the certificate along, with a revision that names neither', async () => {
    await deploy(file(image, 'plain').replace('name = "plain"', 'name = "shop"'));
    expect(Object.keys(ports(await ingress()))).not.toContain(HOST);
    const claims = { apiVersion: 'hakopod.io/v1', kind: 'DomainClaim', namespace };
    expect(must(await there.admin.list(claims))).toEqual([]);
    const secrets = {
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: own ?? '',
      labelSelector: 'hakopod.io/tls-upload=true',
    };
    expect(must(await there.admin.list(secrets))).toEqual([]);
  });
});
