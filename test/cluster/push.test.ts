import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { RENDERED_KINDS } from '../../src/render/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { missingForBuilds } from '../support/docker-registry.ts';
import { deliver, until } from '../support/world.ts';
import { BY_HAND } from './by-hand.ts';
import { grants, renderChart } from './chart.ts';
import { applicationNamespace, type Installation, install, removeNow } from './installation.ts';
import { ONLY_API, UNPROVEN } from './unproven-grants.ts';

/*
 * The main job on real pods, with no more rights than the chart gives: push -> build -> registry -> job -> page -> status. Then the same
 * with one verb less, which has to fail and say so.
 */
const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_AUDIT: audit } = process.env;
const reason =
  kubeconfig === undefined || registry === undefined
    ? 'no cluster whose nodes pull from HAKOPOD_TEST_REGISTRY, a registry this machine can push to in plain http'
    : await missingForBuilds();
if (reason !== undefined) console.warn(`SKIPPED: pushes to real pods: ${reason}`);

const APPLICATION = 'acme/production/shop';
const CONTEXT = `hakopod/deploy/${APPLICATION}`;
const DOCKERFILE = `FROM scratch
COPY busybox /bin/busybox
COPY busybox /bin/sh
ARG GREETING
RUN /bin/busybox mkdir /www && echo "$GREETING" >/www/index.html
`;

function file(greeting: string): string {
  const build = `build = { context = "page", build_args = { GREETING = "${greeting}" } }`;
  return `name = "shop"

[volumes.kept]
size_gib = 1

[services.nightly]
${build}
command = ["/bin/busybox", "true"]
job = { schedule = { cron = "0 3 1 1 *" } }

[services.check]
${build}
command = ["/bin/busybox", "grep", "$(WANTED)", "/www/index.html"]
env = { WANTED = "${greeting}" }
job = { timeout_seconds = 60, retries = 0 }

[services.web]
${build}
command = ["/bin/busybox", "httpd", "-f", "-p", "8080", "-h", "/www"]
port = 8080
healthcheck = "/"
public = true
depends_on = ["check"]
secrets = { PASSWORD = { ref = "password" } }
autoscaling = { max_replicas = 2 }
files = { note = { mount_path = "/www/note.txt", content = "note: ${greeting}" } }
`;
}

describe.skipIf(reason !== undefined)('a push to a real cluster', () => {
  const namespace = `hakopod-test-${randomBytes(4).toString('hex')}`;
  let there: Installation;
  let hook: { url: string; secret: string };

  beforeAll(async () => {
    there = await install({ kubeconfig: kubeconfig!, namespace, registry: registry! });
    await there.cli(['secrets', 'set', 'password', '--app', APPLICATION], 'correct horse\n');
    const added = await there.cli(
      ['sources', 'add', there.gitUrl, '--app', APPLICATION, '--forge', 'github', '--repository-id', '4711'].concat([
        '--slug',
        'acme/shop',
        '--local',
        '--token-stdin',
      ]),
      'forge-token-0123456789\n',
    );
    const [path = ''] = /\/hooks\/[0-9a-f]{32}/.exec(added) ?? [];
    hook = { url: `${there.url}${path}`, secret: /shown once\): (\S+)/.exec(added)?.[1] ?? '' };
    const context = join(there.work, 'page');
    await mkdir(context);
    await copyFile('/bin/busybox', join(context, 'busybox'));
    await chmod(join(context, 'busybox'), 0o755);
    await writeFile(join(context, 'Dockerfile'), DOCKERFILE);
  });
  /** The application's namespace, for when the application is gone. */
  let known: string | undefined;
  afterAll(async () => {
    if (there === undefined) return;
    const name = await applicationNamespace(there).catch(() => known);
    if (name !== undefined) await removeNow(there.admin, { apiVersion: 'v1', kind: 'Namespace', name });
    await there.stop();
  });

  async function push(text: string, message: string): Promise<string> {
    await writeFile(join(there.work, 'hakopod.toml'), text);
    const commit = await there.tree.pushAll(message);
    expect((await deliver(hook, { commit })).status).toBe(202);
    return commit;
  }

  /** The commit's one final status; what was logged helps when there is none. */
  async function finalOf(commit: string) {
    const finals = () =>
      there.forge
        .statuses()
        .filter((status) => status.commit === commit && status.context === CONTEXT && status.state !== 'pending');
    await until('the commit has a final status', () => finals().length > 0, 120_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${there.lines.join('').split('\n').slice(-30).join('\n')}`);
    });
    expect(finals()).toHaveLength(1);
    return finals()[0]!;
  }

  /** The application's objects of a kind, or its namespace. */
  async function all(kind: string): Promise<readonly Manifest[]> {
    const { apiVersion } = [...RENDERED_KINDS, { apiVersion: 'v1', kind: 'Pod' }].find((known) => known.kind === kind)!;
    const own = await applicationNamespace(there);
    known = own;
    if (kind !== 'Namespace') return must(await there.admin.list({ apiVersion, kind, namespace: own }));
    return [must(await there.admin.get({ apiVersion, kind, name: own }))!];
  }

  /** A page of the web's newest pod, through the API server's proxy. */
  async function page(path = ''): Promise<string> {
    const pods = (await all('Pod')).filter(
      ({ metadata }) => metadata.labels?.['hakopod.io/service'] === 'web' && metadata.deletionTimestamp === undefined,
    );
    const [pod] = pods.sort((a, b) =>
      String(a.metadata.creationTimestamp) < String(b.metadata.creationTimestamp) ? 1 : -1,
    );
    const answer = await there.raw(
      `/api/v1/namespaces/${await applicationNamespace(there)}/pods/${pod?.metadata.name}:8080/proxy/${path}`,
    );
    return answer.text.trim();
  }

  it('builds, runs the job, serves the page with the build arg and says so', async () => {
    const commit = await push(file('good morning'), 'first');
    expect(await finalOf(commit)).toMatchObject({ state: 'success', description: 'released revision 1' });
    expect(await page()).toBe('good morning');
    expect(await page('note.txt')).toBe('note: good morning');
    expect((await all('CronJob')).map(({ spec }) => (spec as { suspend: boolean }).suspend)).toEqual([false]);
    expect(await all('HorizontalPodAutoscaler')).toHaveLength(1);
    const jobs = (await all('Job')) as readonly (Manifest & { status: { succeeded?: number } })[];
    expect(jobs.map(({ status }) => status.succeeded)).toEqual([1]);
    expect(await all('Ingress')).toHaveLength(1);
    expect(await there.cli(['status', APPLICATION])).toContain('healthy, revision 1');
  }, 180_000);

  it('replaces the job and the pods for the next commit', async () => {
    const commit = await push(file('good evening'), 'second');
    expect(await finalOf(commit)).toMatchObject({ state: 'success', description: 'released revision 2' });
    expect(await page()).toBe('good evening');
    expect(await page('note.txt')).toBe('note: good evening');
  }, 180_000);

  it.each(BY_HAND)('puts right $object: $title', async ({ object, change }) => {
    const [kind = '', given = ''] = object.split('/');
    const name = kind === 'Namespace' ? await applicationNamespace(there) : given;
    // Of snapshots the newest: an older one may be there until the last pod that reads it has ended, and nobody looks after it.
    const read = async (): Promise<Manifest> =>
      (await all(kind))
        .filter(({ metadata }) => metadata.name.startsWith(name))
        .sort((a, b) => (String(a.metadata.creationTimestamp) < String(b.metadata.creationTimestamp) ? 1 : -1))[0]!;
    const before = await read();
    const changed = structuredClone(before);
    change(changed);
    must(await there.admin.replace(changed));
    await until('it is as it was', async () => isDeepStrictEqual(essence(await read()), essence(before)), 30_000);
  });

  it('prunes what is no longer wanted', async () => {
    const commit = await push('name = "shop"\n\n[services]\n', 'empty');
    expect(await finalOf(commit)).toMatchObject({ state: 'success', description: 'released revision 3' });
    // The snapshot of secret values stays as long as a pod that ends still reads it.
    for (const kind of ['Deployment', 'Job', 'CronJob', 'HorizontalPodAutoscaler', 'Service', 'Ingress'])
      await until(`no ${kind} is left`, async () => (await all(kind)).length === 0);
    expect(await all('PersistentVolumeClaim')).toHaveLength(1);
  }, 180_000);

  it('fails with the code and the verb when the role lacks one', async () => {
    const name = `${namespace}-hakopod-worker`;
    const role = must(
      await there.admin.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name }),
    ) as Manifest & { rules: { resources: string[]; verbs: string[] }[] };
    const rules = role.rules.map((rule) =>
      rule.resources.includes('jobs') ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') } : rule,
    );
    must(await there.admin.replace({ ...role, rules }));
    const commit = await push(file('good night'), 'forbidden');
    const status = await finalOf(commit);
    expect(status).toMatchObject({ state: 'failure' });
    expect(status.description).toContain('the role of Hakopod does not permit to create jobs');
    const releases = must(
      await there.admin.list({ apiVersion: 'hakopod.io/v1', kind: 'Release', namespace }),
    ) as readonly (Manifest & { status: { code?: string }; spec: { revision: number } })[];
    expect(releases.find(({ spec }) => spec.revision === 4)?.status.code).toBe('forbidden');
  }, 180_000);

  it('removes the repository and its secrets with the last source', async () => {
    await there.cli(['sources', 'remove', APPLICATION]);
    const left = async (kind: string): Promise<number> =>
      must(await there.admin.list({ apiVersion: 'hakopod.io/v1', kind, namespace })).length;
    await until('the source and the repository are gone', async () =>
      (await left('GitSource')) + (await left('GitRepository')) === 0 ? true : undefined,
    );
  });

  it('takes the application down and leaves its claim', async () => {
    await there.cli(['apps', 'delete', APPLICATION, '--confirm', 'shop']);
    await until('the application is gone', async () => {
      const left = must(await there.admin.list({ apiVersion: 'hakopod.io/v1', kind: 'Application', namespace }));
      return left.length === 0;
    });
  });

  it.skipIf(audit === undefined)(
    'used every verb of the roles but the listed ones, and asked for no other',
    async () => {
      const roles = (await renderChart(namespace)).filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
      for (const role of ['server', 'worker']) {
        const asked = await requestsOf(audit!, `system:serviceaccount:${namespace}:hakopod-${role}`);
        const refused = asked.filter(({ code }) => code === 403).map(({ grant }) => grant);
        // Free disk space is asked for, and not known without the right.
        const others = [...new Set(refused)].filter((grant) => grant !== 'get nodes/proxy');
        expect(others, role).toEqual(role === 'worker' ? ['create batch/jobs'] : []);
        const used = new Set(asked.map(({ grant }) => grant));
        const given = roles
          .filter(({ metadata }) => metadata.name.endsWith(role) || metadata.name.endsWith('preflight'))
          .flatMap(grants);
        const isExpected = (grant: string): boolean =>
          UNPROVEN[grant] !== undefined || (role === 'server' && ONLY_API.has(grant));
        const unproven = given.filter((grant) => !used.has(grant) && !isExpected(grant));
        expect([...new Set(unproven)].sort(), role).toEqual([]);
      }
    },
  );

  it('shows no secret in the logs of its processes', () => {
    const text = there.lines.join('');
    for (const secret of ['correct horse', 'forge-token-0123456789', hook.secret, 'eyJhbGciOi']) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text.includes(secret)).toBe(false);
    }
  });
});

type AuditEvent = {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly apiGroup?: string };
  readonly responseStatus: { readonly code: number };
};

/** What a user asked of the API server, in the words of `grants`. */
async function requestsOf(
  path: string,
  username: string,
): Promise<readonly { readonly grant: string; readonly code: number }[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as AuditEvent);
  return events.flatMap(({ verb, user, objectRef: ref, responseStatus: { code } }) =>
    ref === undefined || user.username !== username
      ? []
      : [{ grant: `${verb} ${[ref.apiGroup, ref.resource, ref.subresource].filter(Boolean).join('/')}`, code }],
  );
}

/** An object without what every write changes, such as the release that wrote it last. */
function essence({ metadata, spec, data }: Manifest): unknown {
  const { name, labels, annotations } = metadata;
  return { name, labels, spec, data, annotations: { ...annotations, 'hakopod.io/operation': '' } };
}
