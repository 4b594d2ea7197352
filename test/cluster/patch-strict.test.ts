import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kernel/index.ts';
import { applyPatch, checkFields, type Fields, type PatchKind, strategicMerge } from '../../src/patch/index.ts';
import { patchFor } from '../patch/arbitrary.ts';
import { brokenPatch } from '../patch/broken.ts';
import { patchable } from '../patch/objects.ts';

/*
 * Kubernetes patches against a real API server: dry runs with strict field validation refuse the fields we refuse, merge as we do, and
 * accept what applying a patch of the documentation gives.
 */
const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) console.warn('skipped: KUBECONFIG names no cluster');

const NAMESPACE = 'patch-strict';
const PATHS: Readonly<Record<PatchKind, string>> = {
  deployment: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  service: `/api/v1/namespaces/${NAMESPACE}/services`,
  ingress: `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/ingresses`,
};
const KINDS: readonly PatchKind[] = ['deployment', 'service', 'ingress'];

/** The rendered object in our namespace; nothing of it is to start. */
function object(kind: PatchKind): Fields {
  const { object } = patchable(kind);
  const metadata = { ...(object.metadata as Fields), namespace: NAMESPACE };
  const spec = { ...(object.spec as Fields), ...(kind === 'deployment' ? { replicas: 0 } : {}) };
  return { ...object, metadata, spec };
}

function pathOf(kind: PatchKind): string {
  return `${PATHS[kind]}/${String((object(kind).metadata as Fields).name)}`;
}

type Answer = { readonly status: number; readonly body: Fields };

describe.skipIf(kubeconfig === undefined)('patches on a real API server', () => {
  const proxy = { url: '', stop: (): void => undefined };

  async function ask(method: string, path: string, body: Json, type = 'application/json'): Promise<Answer> {
    const response = await fetch(`${proxy.url}${path}`, {
      method,
      headers: { 'content-type': type },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Fields };
  }

  const dryRun = 'dryRun=All&fieldValidation=Strict&fieldManager=hakopod';
  const patchLive = (kind: PatchKind, patch: Fields): Promise<Answer> =>
    ask('PATCH', `${pathOf(kind)}?${dryRun}`, patch, 'application/strategic-merge-patch+json');

  beforeAll(async () => {
    const child = spawn('kubectl', ['proxy', '--port=0', '--address=127.0.0.1'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    proxy.url = `http://${/127\.0\.0\.1:\d+/.exec(line)?.[0]}`;
    proxy.stop = () => void child.kill();
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    await ask('POST', '/api/v1/namespaces', namespace);
    for (const kind of KINDS) {
      const { status, body } = await ask('POST', PATHS[kind], object(kind));
      expect([status, body.message]).toEqual([201, undefined]);
    }
  });
  afterAll(async () => {
    await ask('DELETE', `/api/v1/namespaces/${NAMESPACE}`, {});
    proxy.stop();
  });

  it('refuses what checkFields refuses, and reads what it takes', async () => {
    const count = { refused: 0, read: 0 };
    const broken = fc
      .constantFrom(...KINDS)
      .chain((kind) => fc.tuple(fc.constant(kind), brokenPatch(kind, object(kind))));
    await fc.assert(
      fc.asyncProperty(broken, async ([kind, patch]) => {
        const faults = checkFields(kind, patch).map(({ message }) => message);
        // The server fills in what these leave out, and refuses it later or not at all.
        fc.pre(!faults.some((fault) => /must not be null|needs it|directive|fieldsV1/.test(fault)));
        const { status, body } = await ask('POST', `${PATHS[kind]}?${dryRun}`, asObject(kind, patch));
        const isUnread = status === 400;
        count[isUnread ? 'refused' : 'read'] += 1;
        expect({ faults, status, message: body.message }).toEqual({
          faults: isUnread ? expect.arrayContaining([expect.any(String)]) : [],
          status,
          message: body.message,
        });
      }),
      { numRuns: 400, seed: 7, maxSkipsPerRun: 1000 },
    );
    expect(Math.min(count.refused, count.read)).toBeGreaterThan(20);
  });

  it('merges as strategicMerge does', async () => {
    const pairs = fc.constantFrom(...KINDS).chain((kind) => fc.tuple(fc.constant(kind), patchFor(kind, object(kind))));
    const count = { same: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(pairs, async ([kind, patch]) => {
        fc.pre(checkFields(kind, patch).length === 0 && !JSON.stringify(patch).includes('"managedFields"'));
        const live = await get(pathOf(kind));
        const ours = strategicMerge(kind, live, patch);
        const theirs = await patchLive(kind, patch);
        if (!ours.ok) {
          count.refused += 1;
          expect(theirs.status).toBeGreaterThanOrEqual(400);
          return;
        }
        const put = await ask('PUT', `${pathOf(kind)}?${dryRun}`, ours.value);
        count[put.status === 200 ? 'same' : 'refused'] += 1;
        expect({
          ok: put.status === 200,
          object: comparable(put),
          why: [put.body.message, theirs.body.message],
        }).toEqual({
          ok: theirs.status === 200,
          object: comparable(theirs),
          why: [put.body.message, theirs.body.message],
        });
      }),
      { numRuns: 150, seed: 7, maxSkipsPerRun: 1000 },
    );
    expect(count.same).toBeGreaterThan(20);
  });

  async function get(path: string): Promise<Fields> {
    return (await (await fetch(`${proxy.url}${path}`)).json()) as Fields;
  }

  it.each<[PatchKind, string]>([
    [
      'deployment',
      `spec:
  template:
    metadata:
      annotations:
        prometheus.io/scrape: "true"
    spec:
      tolerations:
        - key: dedicated
          operator: Equal
          value: api
          effect: NoSchedule
      containers:
        - name: app
          livenessProbe:
            httpGet:
              path: /livez
              port: 8080
            periodSeconds: 10
`,
    ],
    [
      'service',
      'spec:\n  sessionAffinity: ClientIP\n  ports:\n    - name: more\n      port: 8081\n      protocol: TCP\n',
    ],
    [
      'ingress',
      'metadata:\n  annotations:\n    haproxy.org/load-balance: leastconn\n    haproxy.org/timeout-server: 120s\n',
    ],
  ])('accepts a patched %s', async (kind, text) => {
    const patched = applyPatch({ kind, object: object(kind), text, at: 'x' });
    expect(patched).toMatchObject({ ok: true });
    const body = patched.ok ? patched.value : {};
    const answer = await ask('PATCH', `${pathOf(kind)}?${dryRun}&force=true`, body, 'application/apply-patch+yaml');
    expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  });
});

/** The fields of a patch as a whole object, which the server reads strictly before it looks for what is missing. */
function asObject(kind: PatchKind, patch: Fields): Fields {
  const { apiVersion, kind: named } = object(kind);
  const { metadata } = patch;
  const isMapping = metadata === undefined || (typeof metadata === 'object' && !Array.isArray(metadata));
  const meta = isMapping ? { ...(metadata as Fields | undefined), name: 'read', namespace: NAMESPACE } : metadata;
  return { ...patch, apiVersion: apiVersion ?? null, kind: named ?? null, metadata: meta };
}

/** What two dry runs have to agree on. */
function comparable({ status, body }: Answer): Json {
  if (status !== 200) return null;
  const {
    managedFields: _fields,
    generation: _generation,
    resourceVersion: _version,
    ...metadata
  } = body.metadata as Fields;
  return { ...body, metadata };
}
