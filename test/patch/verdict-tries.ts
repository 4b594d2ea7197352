import { FIELD_TABLE } from '../../src/patch/index.ts';
import type { FieldType, Scalar } from '../../src/patch/types.ts';
import { add, both, type Loose, POD, POD_APP, put } from './protect-fixture.ts';

type Change = (object: Loose) => void;

const SAMPLES: Readonly<Record<Scalar, unknown>> = {
  string: 'tried',
  bool: true,
  int32: 7,
  int64: 7,
  bytes: 'dHJpZWQ=',
  'int-or-string': 7,
  quantity: '7',
  time: '2026-01-01T00:00:00Z',
  raw: { tried: true },
};

/** A value of a type that is not the one there, and not nothing. */
export function sample(type: FieldType, current: unknown): unknown {
  if ('list' in type) return [sample(type.list, undefined)];
  if ('map' in type) return { tried: sample(type.map, undefined) };
  if ('ref' in type) {
    const [name, field] = Object.entries(FIELD_TABLE.types[type.ref] ?? {})[0] ?? [];
    if (name === undefined || field === undefined) throw new Error(`the table has no fields of ${type.ref}`);
    return { [name]: sample(field.type, undefined) };
  }
  const value = SAMPLES[type.scalar];
  if (value !== current) return value;
  return typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : `${String(value)}-again`;
}

/** What a new element of a list needs to be one, by the list's path. */
const ELEMENTS: Readonly<Record<string, object>> = {
  'spec.template.spec.tolerations': { key: 'tried' },
  'spec.template.spec.volumes': { name: 'tried' },
  'containers.env': { name: 'TRIED' },
  'containers.ports': { containerPort: 12_345 },
  'containers.volumeMounts': { name: 'tried', mountPath: '/tried' },
  'spec.ports': { name: 'tried', port: 12_345 },
};

/** The change a patch of only this field makes: in the first container, or in a new element of any other list. */
export function changeOf(path: string, type: FieldType): Change {
  const keys = path.split('.');
  return (object) => {
    // A mount needs a volume to mount.
    if (path.includes('volumeMounts[]')) add(`${POD}.volumes`, { name: 'tried', emptyDir: {} })(object);
    let parent = object;
    const passed: string[] = [];
    for (const key of keys.slice(0, -1)) {
      const name = key.replace('[]', '');
      passed.push(name);
      parent[name] ??= key.endsWith('[]') ? [] : {};
      parent = parent[name];
      if (!key.endsWith('[]')) continue;
      if (name === 'containers' || name === 'initContainers') {
        parent = parent[0];
        continue;
      }
      const place = passed.join('.').replace(/^.*(containers|initContainers)\./, 'containers.');
      const element = structuredClone(ELEMENTS[place]);
      if (element === undefined) throw new Error(`no element for ${place}`);
      // A new volume has one source: the one that is tried, or the one around the field that is.
      if (place.endsWith('volumes') && path.endsWith('volumes[].name')) Object.assign(element, { emptyDir: {} });
      // Tried as if it were not there.
      delete (element as Loose)[keys.at(-1)!];
      parent.push(element);
      parent = element;
    }
    const last = keys.at(-1)!;
    parent[last] = sample(type, parent[last]);
  };
}

type Tries = {
  readonly allowed: Change;
  readonly refused: Change /** On an object without bindings. */;
  readonly unbound?: true;
};

/** For each field whose verdict depends on the value: something allowed and something refused. */
export const CONDITIONS: Readonly<Record<string, Tries>> = {
  'deployment metadata.labels': keysAt(['metadata', 'labels'], 'team', 'hakopod.io/service'),
  'deployment metadata.annotations': keysAt(['metadata', 'annotations'], 'example.com/x', 'deployment.kubernetes.io/x'),
  'deployment spec.template.metadata.labels': keysAt(
    ['spec', 'template', 'metadata', 'labels'],
    'app.kubernetes.io/version',
    'hakopod.io/net-x',
  ),
  'deployment spec.template.metadata.annotations': keysAt(
    ['spec', 'template', 'metadata', 'annotations'],
    'prometheus.io/scrape',
    'container.apparmor.security.beta.kubernetes.io/app',
  ),
  'deployment spec.template.spec.tolerations': {
    allowed: add(`${POD}.tolerations`, { key: 'dedicated', operator: 'Exists' }),
    refused: add(`${POD}.tolerations`, { operator: 'Exists' }),
  },
  'deployment spec.template.spec.tolerations[].key': {
    allowed: add(`${POD}.tolerations`, { key: 'dedicated' }),
    refused: add(`${POD}.tolerations`, { key: 'hakopod.io/node', operator: 'Exists' }),
  },
  'deployment spec.template.spec.nodeSelector': {
    allowed: put(`${POD}.nodeSelector.pool`, 'fast'),
    refused: put(['spec', 'template', 'spec', 'nodeSelector', 'kubernetes.io/arch'], 'other'),
  },
  'deployment spec.template.spec.affinity': {
    allowed: put(`${POD}.affinity.podAntiAffinity.x`, 'x'),
    refused: put(`${POD}.affinity.podAntiAffinity.x`, 'x'),
    unbound: true,
  },
  'deployment spec.template.spec.priorityClassName': {
    allowed: put(`${POD}.priorityClassName`, 'batch'),
    refused: put(`${POD}.priorityClassName`, 'system-cluster-critical'),
  },
  'deployment spec.template.spec.volumes': {
    allowed: add(`${POD}.volumes`, { name: 'x', downwardAPI: {} }),
    refused: add(`${POD}.volumes`, { name: 'x', hostPath: { path: '/' } }),
  },
  'deployment spec.template.spec.{containers,initContainers}': {
    allowed: put(`${POD_APP}.terminationMessagePolicy`, 'FallbackToLogsOnError'),
    refused: add(`${POD}.containers`, { name: 'second', image: 'x' }),
  },
  ...inContainers(
    'env',
    { name: 'X', value: 'y' },
    { name: 'X', valueFrom: { secretKeyRef: { name: 'x', key: 'y' } } },
  ),
  ...inContainers('ports', { containerPort: 1 }, { containerPort: 1, hostPort: 80 }),
  ...inContainers('volumeMounts', { name: 'new', mountPath: '/new' }, { name: 'data', mountPath: '/new' }),
  ...mounting('name', { name: 'new', mountPath: '/new' }, { name: 'shm', mountPath: '/new' }),
  ...mounting('mountPath', { name: 'new', mountPath: '/new' }, { name: 'new', mountPath: '/data/new' }),
  'deployment spec.template.spec.{containers,initContainers}[].terminationMessagePath': {
    allowed: put(`${POD_APP}.terminationMessagePath`, '/why'),
    refused: put(`${POD_APP}.terminationMessagePath`, '/data/why'),
  },
  'service metadata.labels': keysAt(['metadata', 'labels'], 'team', 'app.kubernetes.io/managed-by'),
  'service metadata.annotations': keysAt(['metadata', 'annotations'], 'example.com/x', 'x/backend-config-snippet'),
  'service spec.ports': {
    allowed: add('spec.ports', { name: 'x', port: 81 }),
    refused: put('spec.ports.0.targetPort', 81),
  },
  'ingress metadata.annotations': keysAt(['metadata', 'annotations'], 'haproxy.org/check', 'haproxy.org/auth-secret'),
};

function keysAt(place: readonly string[], fine: string, reserved: string): Tries {
  return { allowed: put([...place, fine], 'x'), refused: put([...place, reserved], 'x') };
}

function mounting(field: string, fine: object, refused: object): Record<string, Tries> {
  const volume = add(`${POD}.volumes`, { name: 'new', emptyDir: {} });
  return {
    [`deployment spec.template.spec.{containers,initContainers}[].volumeMounts[].${field}`]: {
      allowed: both(volume, add(`${POD_APP}.volumeMounts`, fine)),
      refused: both(volume, add(`${POD_APP}.volumeMounts`, refused)),
    },
  };
}

function inContainers(list: string, fine: object, refused: object): Record<string, Tries> {
  const volume = add(`${POD}.volumes`, { name: 'new', emptyDir: {} });
  return {
    [`deployment spec.template.spec.{containers,initContainers}[].${list}`]: {
      allowed: both(volume, add(`${POD_APP}.${list}`, fine)),
      refused: add(`${POD_APP}.${list}`, refused),
    },
  };
}
