import { at, type Fields, records, text } from '../../../kernel/index.ts';
import {
  type EnvEntry,
  EnvName,
  EnvValue,
  isPlainText,
  KeyReference,
  OPERATION_LIMITS,
  type Unsupported,
  type WorkloadContainer,
} from '../../../ports/cluster-operations/index.ts';

const { envEntries, envBytes, argumentEntries, argumentBytes } = OPERATION_LIMITS;

/** The editable part of one container; what an apply of it would drop is added to `unsupported`. No Secret or ConfigMap is read. */
export function readContainer(container: Fields, unsupported: Set<Unsupported>): WorkloadContainer {
  return {
    name: text(container.name) ?? '',
    image: withTag(text(container.image) ?? ''),
    imageId: '',
    command: readArguments(container.command, unsupported),
    args: readArguments(container.args, unsupported),
    env: readEnv(container.env, unsupported),
    resources: {
      requests: amounts(at(container, 'resources', 'requests')),
      limits: amounts(at(container, 'resources', 'limits')),
    },
  };
}

/**
 * An image without tag and digest is the one tagged `latest` to Kubernetes, and is said to be that, as a configuration names a tag or a digest
 * (cluster operations 0.2). An apply compares with the image as it is said, so that one nobody changes stays as it is written.
 */
function withTag(image: string): string {
  return image === '' || image.includes('@') || image.lastIndexOf(':') > image.lastIndexOf('/')
    ? image
    : `${image}:latest`;
}

function amounts(value: unknown): { cpu: string; memory: string } {
  return { cpu: text(at(value, 'cpu')) ?? '', memory: text(at(value, 'memory')) ?? '' };
}

/** Stops at the first entry that is out of bounds, as a list with a hole would be another command. */
function readArguments(value: unknown, unsupported: Set<Unsupported>): string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  const stop = all.findIndex(
    (entry, index) => index >= argumentEntries || typeof entry !== 'string' || !isPlainText(entry, argumentBytes),
  );
  if (stop !== -1) unsupported.add('argv_truncated');
  return all.slice(0, stop === -1 ? all.length : stop).map(String);
}

function readEnv(value: unknown, unsupported: Set<Unsupported>): EnvEntry[] {
  const kept = new Map<string, EnvEntry>();
  let bytes = 0;
  for (const raw of records(value)) {
    const entry = entryOf(raw);
    if (entry === 'another_source') {
      unsupported.add('env_field_ref');
      continue;
    }
    const size = Buffer.byteLength(entry.name) + Buffer.byteLength(entry.value ?? '');
    const fits = isValid(entry) && !kept.has(entry.name) && kept.size < envEntries && bytes + size <= envBytes;
    if (!fits) {
      unsupported.add('env_truncated');
      continue;
    }
    bytes += size;
    kept.set(entry.name, entry);
  }
  return [...kept.values()];
}

function entryOf(raw: Fields): EnvEntry | 'another_source' {
  const name = text(raw.name) ?? '';
  if (raw.valueFrom === undefined || raw.valueFrom === null) return { name, value: text(raw.value) ?? '' };
  const secret = reference(at(raw.valueFrom, 'secretKeyRef'));
  if (secret !== undefined) return { name, secret };
  const configMap = reference(at(raw.valueFrom, 'configMapKeyRef'));
  return configMap === undefined ? 'another_source' : { name, configMap };
}

function reference(value: unknown): string | undefined {
  const [name, key] = [text(at(value, 'name')), text(at(value, 'key'))];
  return name === undefined || key === undefined ? undefined : `${name}/${key}`;
}

function isValid({ name, value, secret, configMap }: EnvEntry): boolean {
  if (!EnvName.safeParse(name).success) return false;
  const named = secret ?? configMap;
  return named === undefined ? EnvValue.safeParse(value).success : KeyReference.safeParse(named).success;
}
