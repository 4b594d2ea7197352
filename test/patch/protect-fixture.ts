import type { Manifest } from '../../src/kernel/index.ts';
import { protectedChanges } from '../../src/patch/protect.ts';
import type { PatchKind } from '../../src/patch/types.ts';
import { allObjects } from '../../src/render/index.ts';
import { ID, inputFor, rendered, SHOP } from '../render/fixture.ts';

/** An object built by hand; tests change copies of it in place. */
// biome-ignore lint/suspicious/noExplicitAny: objects of any shape are what is tried
export type Loose = any;

/** Copies of the rendered objects of the public service `web` and of `api`, which reads secrets. */
export function base(kind: PatchKind, service: 'web' | 'api' = kind === 'ingress' ? 'web' : 'api', id = ID): Loose {
  const wanted = { deployment: 'Deployment', service: 'Service', ingress: 'Ingress' }[kind];
  const found = allObjects(rendered(inputFor(SHOP, { id }))).find((object: Manifest) => {
    return object.kind === wanted && object.metadata.name === service;
  });
  if (found === undefined) throw new Error(`no ${wanted}/${service}`);
  // Through text: the rendering uses one map in several places, which a change in one place would change in all.
  return JSON.parse(JSON.stringify(found));
}

/** A Deployment with all that bindings add while deploying: volumes, mounts, a sidecar, scheduling and a GPU (facts 3.3). */
export function boundDeployment(): Loose {
  const object = base('deployment');
  const pod = object.spec.template.spec;
  const [app] = pod.containers;
  pod.nodeSelector = { 'kubernetes.io/arch': 'amd64' };
  pod.tolerations = [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }];
  pod.affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
      },
    },
  };
  pod.volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'api-data' } },
    { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    { name: 'temporary-0', emptyDir: {} },
    {
      name: 'config-file-0',
      configMap: { name: 'api-files-0123456789abcdef', items: [{ key: 'file', path: 'file' }] },
    },
  ];
  app.volumeMounts = [
    { name: 'data', mountPath: '/data' },
    { name: 'shm', mountPath: '/dev/shm' },
    { name: 'temporary-0', mountPath: '/tmp' },
    { name: 'config-file-0', mountPath: '/etc/app/config.yaml', subPath: 'file', readOnly: true },
  ];
  app.resources.limits['nvidia.com/gpu'] = '1';
  app.resources.requests['nvidia.com/gpu'] = '1';
  pod.initContainers = [
    { name: 'helper', image: app.image, restartPolicy: 'Always', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    { name: 'copy', image: app.image, command: ['/copy'] },
  ];
  object.spec.template.metadata.annotations = { 'hakopod.io/restart-nonce': 'n1' };
  return object;
}

/** One thing a patch could do to an object, and the fields of which it is refused; none when it is allowed. */
export type Case = readonly [title: string, change: (object: Loose) => void, refused: readonly string[]];

/** The pod of a Deployment. */
export function podOf(deployment: Loose): Loose {
  return deployment.spec.template.spec;
}

/** The service's container. */
export function appOf(deployment: Loose): Loose {
  return podOf(deployment).containers[0];
}

/** Paths as `put` and `add` take them, and as messages have them. */
export const POD = 'spec.template.spec';
export const POD_APP = `${POD}.containers.0`;
export const APP = `${POD}.containers[app]`;

type Path = string | readonly string[];

function places(path: Path): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path;
}

/** Sets what is at a path; a list's elements have their index as key, and parents that are missing are made. */
export function put(path: Path, value: unknown): (object: Loose) => void {
  const keys = places(path);
  return (object) => {
    let parent = object;
    for (const key of keys.slice(0, -1)) {
      parent[key] ??= {};
      parent = parent[key];
    }
    Object.defineProperty(parent, keys.at(-1)!, { value, enumerable: true, configurable: true, writable: true });
  };
}

/** Takes away what is at a path. */
export function drop(path: Path): (object: Loose) => void {
  const keys = places(path);
  return (object) => {
    const parent = keys.slice(0, -1).reduce((value, key) => value[key], object);
    if (Array.isArray(parent)) parent.splice(Number(keys.at(-1)), 1);
    else delete parent[keys.at(-1)!];
  };
}

/** Appends to the list at a path. */
export function add(path: Path, ...items: readonly unknown[]): (object: Loose) => void {
  return (object) => {
    const list = places(path).reduce((value, key) => value?.[key], object);
    if (list === undefined) put(path, [...items])(object);
    else list.push(...items);
  };
}

/** Turns the list at a path around. */
export function turn(path: Path): (object: Loose) => void {
  return (object) =>
    places(path)
      .reduce((value, key) => value[key], object)
      .reverse();
}

/** Several of these. */
export function both(...changes: readonly ((object: Loose) => void)[]): (object: Loose) => void {
  return (object) => {
    for (const change of changes) change(object);
  };
}

/** The fields of which a change to an object is refused. */
export function refusedFields(kind: PatchKind, before: Loose, change: (object: Loose) => void): readonly string[] {
  const after = structuredClone(before);
  change(after);
  return protectedChanges(kind, before, after).map(({ field }) => field);
}
