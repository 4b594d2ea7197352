import type { Manifest } from '../../kernel/index.ts';
import { isRecord } from './objects.ts';

/** Scalars of built-in kinds whose zero value Kubernetes does not write (not pointers, `omitempty`). */
const ZERO_OMITTED: ReadonlySet<string> = new Set([
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'paused',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
  'minReadySeconds',
  'initialDelaySeconds',
  'publishNotReadyAddresses',
  'nodePort',
  'hostPort',
  'value',
  'subPath',
  'workingDir',
  'hostname',
  'subdomain',
  'nodeName',
  'priorityClassName',
  'serviceAccountName',
  'externalName',
  'loadBalancerIP',
]);

/** Maps that are omitted when empty; other empty objects, such as `emptyDir: {}` or `podSelector: {}`, mean something. */
const EMPTY_OMITTED: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'nodeSelector',
  'matchLabels',
  'limits',
  'requests',
  'data',
  'binaryData',
]);

function omitted(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return EMPTY_OMITTED.has(name) && Object.keys(value).length === 0;
  return (value === '' || value === 0 || value === false) && ZERO_OMITTED.has(name);
}

/** Maps whose keys and values are the user's: nothing inside is a field of ours. */
const OPAQUE: ReadonlySet<string> = new Set([...EMPTY_OMITTED, 'managedFields', 'hard', 'used', 'openAPIV3Schema']);

function clean(value: unknown): unknown {
  if (Array.isArray(value)) {
    const cleaned = value.map(clean);
    return cleaned.every((item, index) => item === value[index]) ? value : cleaned;
  }
  if (!isRecord(value)) return value;
  let changed = false;
  const result: Record<string, unknown> = {};
  for (const [name, child] of Object.entries(value)) {
    if (omitted(name, child)) {
      changed = true;
      continue;
    }
    result[name] = OPAQUE.has(name) ? child : clean(child);
    changed ||= result[name] !== child;
  }
  return changed ? result : value;
}

/**
 * The object as the API server would read it back: empty lists and zero values of fields that Kubernetes omits are gone
 * (`externalIPs: []`, `egress: []`, `hostNetwork: false`, an empty env value). For built-in kinds only.
 */
export function omitEmpty(object: Manifest): Manifest {
  if (object.kind === 'CustomResourceDefinition') return object;
  return clean(object) as Manifest;
}
