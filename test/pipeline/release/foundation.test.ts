import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Manifest } from '../../../src/kernel/index.ts';
import { type ReleaseWorld, startReleaseWorld } from '../../support/release-world.ts';

let world: ReleaseWorld;
beforeEach(async () => {
  world = await startReleaseWorld();
});
afterEach(() => world.stop());

const web = (extra: string): string => `[services.web]\nimage = "registry.example.test/shop:1"\nport = 8080\n${extra}`;
const file = (...parts: string[]): string => `name = "shop"\n${parts.join('')}`;

it('lays its foundation in order: namespace, policies, budget and claims, a pause, Services; and closes what is not public', async () => {
  const done: string[] = [];
  const { create, apply, replace, delete: remove } = world.cluster;
  const { clock } = world.deps;
  Object.assign(world.deps, {
    cluster: {
      ...world.cluster,
      create: (object: Manifest) => {
        done.push(object.kind);
        return create(object);
      },
      apply: (object: Manifest) => {
        done.push(object.kind);
        return apply(object);
      },
      replace: (...args: Parameters<typeof replace>) => {
        done.push(args[0].kind);
        return replace(...args);
      },
      delete: (...args: Parameters<typeof remove>) => {
        done.push(`-${args[0].kind}`);
        return remove(...args);
      },
    },
    options: { ...world.deps.options, policySettleMs: 7 },
    clock: {
      now: () => clock.now(),
      sleep: async (ms: number, signal?: AbortSignal) => {
        if (ms === 7) done.push('pause');
        await clock.sleep(ms, signal);
      },
    },
  });
  const kept = '[volumes.kept]\nsize_gib = 1\n';
  const mount = 'mounts = [{ volume = "kept", mount_path = "/kept" }]\n';
  await world.accept(file(web(`public = true\n${mount}`), kept));
  await world.run();
  const ranks = [
    'Namespace',
    'NetworkPolicy',
    'ResourceQuota',
    'PersistentVolumeClaim',
    'pause',
    'Service',
    'Deployment',
    'Ingress',
  ];
  const first = [...new Set(done)];
  expect(first.map((kind) => ranks.indexOf(kind))).toEqual(first.map((_, index) => index));
  done.splice(0);
  await world.accept(file(web(`replicas = 1\nhealthcheck = "/up"\n${mount}`), kept));
  await world.run();
  expect(done.indexOf('-Ingress')).toBeGreaterThanOrEqual(0);
  expect(done.indexOf('-Ingress')).toBeLessThan(done.indexOf('Deployment'));
});
