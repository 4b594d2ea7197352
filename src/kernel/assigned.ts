import { at, isFields } from './fields.ts';
import type { Manifest } from './manifest.ts';

type Paths = readonly (readonly string[])[];

/** Fields the API server chooses once, by kind: a PUT without them is refused, or gives up what was chosen (measured on 1.35). */
const ASSIGNED: Readonly<Record<string, Paths>> = {
  Namespace: [['spec', 'finalizers']],
  Service: [
    ['spec', 'clusterIP'],
    ['spec', 'clusterIPs'],
    ['spec', 'ipFamilies'],
    ['spec', 'ipFamilyPolicy'],
  ],
  Deployment: [['spec', 'replicas']],
  PersistentVolumeClaim: [
    ['spec', 'volumeName'],
    ['spec', 'storageClassName'],
  ],
  Job: [
    ['spec', 'selector'],
    ['spec', 'template', 'metadata', 'labels', 'batch.kubernetes.io/controller-uid'],
    ['spec', 'template', 'metadata', 'labels', 'batch.kubernetes.io/job-name'],
    ['spec', 'template', 'metadata', 'labels', 'controller-uid'],
    ['spec', 'template', 'metadata', 'labels', 'job-name'],
  ],
};

/** The object with what the API server chose for the live one, where it does not say itself. Every full write over a live object begins here. */
export function withAssigned(wanted: Manifest, live: Manifest): Manifest {
  return (ASSIGNED[live.kind] ?? []).reduce<Manifest>((object, path) => {
    const value = at(live, ...path);
    return value === undefined || at(object, ...path) !== undefined ? object : (put(object, path, value) as Manifest);
  }, wanted);
}

function put(value: unknown, path: readonly string[], leaf: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return leaf;
  const fields = isFields(value) ? value : {};
  return { ...fields, [key]: put(fields[key], rest, leaf) };
}

/** The object without what the API server chooses, to be written over whatever it chose since. */
export function withoutAssigned(object: Manifest): Manifest {
  return (ASSIGNED[object.kind] ?? []).reduce<Manifest>((rest, path) => cut(rest, path) as Manifest, object);
}

function cut(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined || !isFields(value) || !Object.hasOwn(value, key)) return value;
  const { [key]: inner, ...others } = value;
  return rest.length === 0 ? others : { ...others, [key]: cut(inner, rest) };
}
