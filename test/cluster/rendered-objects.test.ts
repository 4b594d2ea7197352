import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayRef, type Manifest, refOf } from '../../src/kernel/index.ts';
import { decideWrite, drift, inventoryEntry, sealed } from '../../src/reconcile/index.ts';
import { allObjects, RENDERED_KINDS } from '../../src/render/index.ts';
import { DEFAULTED, defaulted, OPERATION } from '../reconcile/fixture.ts';
import { HARMLESS, MUTATIONS, mutated } from '../reconcile/mutations.ts';
import { ID, inputFor, rendered, SHOP } from '../render/fixture.ts';
import { marketObjects } from '../render/market.ts';
import { patchedDeployment, patchedService } from './patched.ts';

/*
 * Rendered objects against a real API server: strictly valid, defaulted as we think, and put right by what we decide.
 * UPDATE_FIXTURES=1 with KUBERNETES_VERSION=vX.Y.Z writes the fixtures of the unit tests anew.
 */
const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) console.warn('skipped: KUBECONFIG names no cluster');

const run = promisify(execFile);

async function kubectl(args: readonly string[], input?: unknown): Promise<string> {
  const child = run('kubectl', [...args], { maxBuffer: 64 * 2 ** 20 });
  if (input !== undefined) child.child.stdin?.end(JSON.stringify(input));
  return (await child).stdout;
}

async function json(args: readonly string[], input?: unknown): Promise<Manifest> {
  return JSON.parse(await kubectl([...args, '-o', 'json'], input)) as Manifest;
}

const NAMESPACE = `hp-${ID}`;

describe.skipIf(kubeconfig === undefined)('rendered objects on a real API server', () => {
  const objects = allObjects(rendered(inputFor(SHOP)));
  const market = marketObjects();
  // Of the market only what starts nothing; the rest is only asked about.
  const quiet = market.filter(({ kind }) => !['Deployment', 'Job', 'ResourceQuota', 'Service'].includes(kind));
  const byName = new Map([...objects, ...quiet].map((object) => [displayRef(refOf(object)), object]));
  const all = [
    ...objects,
    ...market,
    sealed(patchedDeployment(byName.get('Deployment/api')!)),
    sealed(patchedService(byName.get('Service/api')!)),
  ];
  const namespaced = (object: Manifest): string[] => (object.kind === 'Namespace' ? [] : ['-n', NAMESPACE]);
  const read = (object: Manifest): Promise<Manifest> =>
    json([
      'get',
      `${object.kind}.${object.apiVersion.includes('/') ? object.apiVersion.replace(/(.*)\/(.*)/, '$2.$1') : 'v1.'}`,
      object.metadata.name,
      ...namespaced(object),
    ]);

  beforeAll(async () => {
    await kubectl(['create', '-f', '-'], objects[0]);
    // Objects only: nothing here should start.
    for (const object of [...objects.slice(1), ...quiet])
      await kubectl(['create', '--field-manager=hakopod', '-f', '-'], object);
  });
  afterAll(async () => {
    const finalizers = ['--type=json', '-p', '[{"op":"remove","path":"/metadata/finalizers"}]'];
    await kubectl(['patch', 'service', 'api', '-n', NAMESPACE, ...finalizers]).catch(() => '');
    await kubectl(['delete', 'namespace', NAMESPACE, '--wait=true', '--ignore-not-found']);
  });

  it.each(all.map((object) => [displayRef(refOf(object)), object] as const))(
    'accepts %s strictly',
    async (_name, object) => {
      const args = [
        'apply',
        '--server-side',
        '--force-conflicts',
        '--dry-run=server',
        '--validate=strict',
        '--field-manager=hakopod',
      ];
      await kubectl([...args, '-f', '-'], object);
    },
  );

  it.each(all.map((object) => [displayRef(refOf(object)), object] as const))(
    'defaults %s as we think',
    async (name, object) => {
      const created = byName.has(name);
      const answer = created ? await read(object) : await json(['create', '--dry-run=server', '-f', '-'], object);
      expect(drift(object, answer)).toEqual([]);
      const file = join(DEFAULTED, `${name.toLowerCase().replace('/', '-')}.json`);
      if (process.env.UPDATE_FIXTURES === '1') {
        const kubernetes = process.env.KUBERNETES_VERSION ?? 'unknown';
        writeFileSync(file, `${JSON.stringify({ kubernetes, desired: object, answer }, null, 2)}\n`);
      }
      expect(JSON.parse(readFileSync(file, 'utf8')).desired).toEqual(JSON.parse(JSON.stringify(object)));
    },
  );

  /** Writes, reading again whenever a controller wrote its status in between, as the shell does. */
  async function settle(desired: Manifest, write: (live: Manifest) => Promise<unknown>): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await write(await read(desired));
        return;
      } catch (error) {
        if (attempt > 5 || !String(error).includes('(Conflict)')) throw error;
      }
    }
  }

  // The garbage collector deletes an object whose owner does not exist before anybody can put it right.
  const possible = MUTATIONS.filter((m) => m.title !== 'an owner');
  it.each(possible.map((m) => [`${m.object}: ${m.title}`, m] as const))('puts right %s', async (_title, mutation) => {
    const desired = byName.get(mutation.object)!;
    const owner = { id: ID, operation: OPERATION, inventory: [inventoryEntry(await read(desired))] };
    await settle(desired, (live) =>
      kubectl(['replace', '--field-manager=stranger', '-f', '-'], mutated(live, mutation)),
    );
    const actions: string[] = [];
    const step = async (live: Manifest): Promise<void> => {
      const decision = decideWrite({ desired, live, owner });
      if (decision.action === 'apply') {
        const args = ['apply', '--server-side', '--force-conflicts', '--validate=strict', '--field-manager=hakopod'];
        await kubectl([...args, '-f', '-'], decision.manifest);
      } else if (decision.action === 'replace') {
        await kubectl(['replace', '--field-manager=hakopod', '-f', '-'], decision.manifest);
      }
      actions.push(decision.action);
    };
    await settle(desired, step);
    await settle(desired, step);
    expect(actions).toEqual([mutation.expect, 'none']);
  });

  const lasting = HARMLESS.filter((m) => m.title !== 'status');
  it.each(lasting.map((m) => [`${m.object}: ${m.title}`, m] as const))('leaves %s', async (_title, mutation) => {
    const desired = byName.get(mutation.object)!;
    await settle(desired, (live) =>
      kubectl(['replace', '--field-manager=stranger', '-f', '-'], mutated(live, mutation)),
    );
    const live = await read(desired);
    const owner = { id: ID, operation: OPERATION, inventory: [inventoryEntry(live)] };
    expect(decideWrite({ desired, live, owner })).toEqual({ action: 'none', adopt: false });
  });

  it('has a fixture for each rendered kind', () => {
    const kinds = new Set([...defaulted().values()].map((fixture) => fixture.desired.kind));
    expect([...kinds].sort()).toEqual(RENDERED_KINDS.map(({ kind }) => kind).sort());
  });
});
