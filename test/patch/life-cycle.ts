import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCluster, type KubeConnection } from '../../src/adapters/kubernetes/index.ts';
import { type Manifest, refOf } from '../../src/kernel/index.ts';
import { applyPatch, type Fields, type PatchKind } from '../../src/patch/index.ts';
import type { Cluster } from '../../src/ports/index.ts';
import { decideWrite, inventoryEntry } from '../../src/reconcile/index.ts';
import { memoryLog, realClock } from '../support/kubernetes.ts';
import { FRIENDLY } from './patch-pieces.ts';
import { base, type Loose } from './protect-fixture.ts';

/*
 * What a patch adds, over releases: written with the patch, put right after a hand edit, and gone with the first release without it, as
 * `decideWrite` decides and an API server carries out. What strangers added stays.
 */

/** An application of its own, so that the suite has its namespace to itself. */
const ID = 'feedc0defeedc0defeedc0defeedc0de';
const OWNER = { id: ID, operation: 'acme.production.shop.3' };
const TEXTS: Readonly<Record<PatchKind, string>> = {
  deployment: `
metadata:
  labels: { team: blue, app.kubernetes.io/version: "7" }
  annotations: { example.com/note: ours }
spec:
  template:
    metadata:
      labels: { tier: back }
      annotations: { prometheus.io/scrape: "true" }
    spec:
      priorityClassName: batch
      containers:
        - name: app
          env: [{ name: NEW, value: x }]
`,
  service: `
metadata:
  labels: { team: blue }
  annotations: { example.com/note: ours }
spec:
  ports: [{ name: metrics, port: 9500 }]
`,
  ingress: `
metadata:
  annotations: { haproxy.org/timeout-server: 120s, haproxy.org/ssl-redirect: "false" }
`,
};

/** An API server, and how to leave it. */
export type ServerUnderTest = { readonly connection: KubeConnection; readonly close: () => Promise<void> };

function must<T>(result: { ok: true; value: T } | { ok: false; problem: { message: string } }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

async function read(cluster: Cluster, object: Manifest): Promise<Manifest | undefined> {
  return must(await cluster.get(refOf(object)));
}

/** Writes an object as a release does, and answers what it did; a controller may write its status in between. */
async function release(cluster: Cluster, desired: Manifest): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const live = await read(cluster, desired);
    const inventory = live === undefined ? [] : [inventoryEntry(live)];
    const decision = decideWrite({ desired, live, owner: { ...OWNER, inventory } });
    if (decision.action === 'refuse') throw new Error(decision.problem.message);
    if (decision.action === 'none') return 'none';
    const result = await cluster[decision.action](decision.manifest);
    if (result.ok) return decision.action;
    if (attempt > 5 || result.problem.code !== 'conflict') throw new Error(JSON.stringify(result.problem));
  }
}

function patched(kind: PatchKind): Manifest {
  const object = base(kind, undefined, ID) as Fields;
  return must(applyPatch({ kind, object, text: TEXTS[kind], at: 'x' })) as unknown as Manifest;
}

/** Labels, annotations and spec of what is there, without what the API server and its controllers put. */
function told(object: Manifest | undefined): Loose {
  const live = structuredClone(object) as Loose;
  const { labels, annotations } = live.metadata;
  delete annotations['hakopod.io/set-keys'];
  delete annotations['deployment.kubernetes.io/revision'];
  return { labels, annotations, spec: live.spec };
}

function pieces(): readonly (readonly [PatchKind, Fields])[] {
  const kinds = ['deployment', 'service', 'ingress'] as const;
  return kinds.flatMap((kind) => FRIENDLY[kind].map((piece) => [kind, piece] as const));
}

/** The suite, for any API server. */
export function describePatchesOverReleases(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(`patches over releases: ${name}`, () => {
    let server: ServerUnderTest;
    let cluster: Cluster;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `hp-${ID}` } };

    beforeAll(async () => {
      server = await start();
      cluster = createCluster(server.connection, { clock: realClock, log: memoryLog(), userAgent: 'test' });
      must(await cluster.create(namespace));
    });
    afterAll(async () => {
      const uid = must(await cluster.get(refOf(namespace)))?.metadata.uid ?? '';
      await cluster.delete(refOf(namespace), { uid, propagation: 'Background' });
      await server.close();
    });

    it.each(pieces())('accepts %s %j strictly', async (kind, piece) => {
      const object = base(kind, undefined, ID) as Fields;
      const made = must(applyPatch({ kind, object, text: JSON.stringify(piece), at: 'x' })) as unknown as Manifest;
      must(await cluster.apply(made, { dryRun: true }));
    });

    describe.each(['deployment', 'service', 'ingress'] as const)('a patched %s', (kind) => {
      const plain = base(kind, undefined, ID) as Manifest;
      const stranger = { metadata: { annotations: { 'stranger.example.com/x': 'theirs' } } };

      it('is written without, with and again without the patch, and is then what it was', async () => {
        expect(await release(cluster, plain)).toBe('create');
        must(await cluster.mergePatch(refOf(plain), kind === 'ingress' ? {} : stranger));
        const first = told(await read(cluster, plain));
        expect(await release(cluster, patched(kind))).not.toBe('none');
        expect(await release(cluster, patched(kind))).toBe('none');
        const live = await read(cluster, plain);
        expect(live?.metadata.annotations).toMatchObject(patched(kind).metadata.annotations ?? {});
        expect(live?.metadata.labels).toMatchObject(patched(kind).metadata.labels ?? {});
        expect(await release(cluster, plain)).not.toBe('none');
        expect(await release(cluster, plain)).toBe('none');
        expect(told(await read(cluster, plain))).toEqual(first);
      });

      it('puts a hand edit of what the patch set right', async () => {
        await release(cluster, patched(kind));
        const before = told(await read(cluster, plain));
        for (const key of Object.keys(patched(kind).metadata.annotations ?? {})) {
          if (key.startsWith('hakopod.io/')) continue;
          for (const value of ['by hand', null]) {
            must(await cluster.mergePatch(refOf(plain), { metadata: { annotations: { [key]: value } } }));
            expect(await release(cluster, patched(kind))).toBe('apply');
            expect(told(await read(cluster, plain))).toEqual(before);
          }
        }
      });
    });

    describe('a patched pod template', () => {
      it('records what the patch sets where a stranger may set something too, and takes only that back', async () => {
        const plain = base('deployment', 'web', ID) as Manifest;
        const text = 'spec: { template: { metadata: { annotations: { prometheus.io/scrape: "true" } } } }';
        const object = plain as unknown as Fields;
        const wanted = must(applyPatch({ kind: 'deployment', object, text, at: 'x' })) as unknown as Manifest;
        await release(cluster, wanted);
        const edit = {
          spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } },
        };
        must(await cluster.mergePatch(refOf(plain), edit));
        expect((await read(cluster, plain))?.metadata.annotations?.['hakopod.io/set-keys']).toBe(
          'spec.template.metadata.annotations.prometheus.io/scrape',
        );
        await release(cluster, plain);
        const live = (await read(cluster, plain)) as Loose;
        expect(live.spec.template.metadata.annotations).toEqual({ 'kubectl.kubernetes.io/restartedAt': 'now' });
        expect(live.metadata.annotations['hakopod.io/set-keys']).toBeUndefined();
      });
    });
  });
}
