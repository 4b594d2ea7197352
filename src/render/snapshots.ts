import type { Manifest } from '../kernel/index.ts';
import type { RenderInput } from './input.ts';
import { LABELS, operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName, snapshotName } from './names.ts';
import { fileKey, secretSources } from './secret-values.ts';

/*
 * Immutable snapshots of what a service's pods read: its secret variables, its plain files and its secret files. Old pods keep theirs while
 * a new release rolls out.
 */

type Data = Readonly<Record<string, string>>;

/** The name pods refer to; in a preview there are no values, so the name has no hash. */
function nameOf(input: RenderInput, snapshot: { base: string; service: string; data: Data }): string {
  const { base, service, data } = snapshot;
  if (input.preview === true) return base;
  const key = input.snapshotKey === undefined ? {} : { snapshotKey: input.snapshotKey };
  return snapshotName(base, data, { id: input.id, service, ...key });
}

function isFile(key: string): boolean {
  return key.startsWith(fileKey(''));
}

/** Only what the service declares: a value too many in the snapshot reaches no pod and no name. */
function valuesOf(input: RenderInput, service: string, wanted: (key: string) => boolean): Data {
  const values = input.secrets[service] ?? {};
  const keys = secretSources(input.application, service).map(({ key }) => key);
  const pairs = keys
    .filter(wanted)
    .sort()
    .flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]] as const]));
  return Object.fromEntries(pairs);
}

function environment(input: RenderInput, service: string): { base: string; service: string; data: Data } {
  return { base: `${service}-environment`, service, data: valuesOf(input, service, (key) => !isFile(key)) };
}

function secretFiles(input: RenderInput, service: string): { base: string; service: string; data: Data } {
  return { base: `${service}-files-secret`, service, data: valuesOf(input, service, isFile) };
}

function plainFiles(input: RenderInput, service: string): { base: string; service: string; data: Data } {
  const files = Object.entries(input.application.services[service]?.files ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const data = files.flatMap(([name, { content }]) => (content === undefined ? [] : [[name, content] as const]));
  return { base: `${service}-files`, service, data: Object.fromEntries(data) };
}

/** Name of the Secret with a service's variables and binding URLs. */
export function environmentSecretOf(input: RenderInput, service: string): string {
  return nameOf(input, environment(input, service));
}

/** Name of the ConfigMap with a service's plain files. */
export function plainFilesOf(input: RenderInput, service: string): string {
  return nameOf(input, plainFiles(input, service));
}

/** Name of the Secret with a service's secret files. */
export function secretFilesOf(input: RenderInput, service: string): string {
  return nameOf(input, secretFiles(input, service));
}

function metadata(
  input: RenderInput,
  service: string,
  options: { name: string; isFiles: boolean },
): Manifest['metadata'] {
  const labels = serviceLabels(input.id, service);
  return {
    name: options.name,
    namespace: namespaceName(input.id),
    labels: options.isFiles ? { ...labels, [LABELS.configFiles]: 'true' } : labels,
    annotations: operationAnnotation(input),
  };
}

/** The values of a service's variables and bindings, or `undefined` when it reads none. */
export function renderEnvironmentSecret(input: RenderInput, service: string): Manifest | undefined {
  const snapshot = environment(input, service);
  return renderSecret(input, snapshot, false);
}

function renderSecret(
  input: RenderInput,
  snapshot: { base: string; service: string; data: Data },
  isFiles: boolean,
): Manifest | undefined {
  const { service, data } = snapshot;
  if (input.preview === true || Object.keys(data).length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(input, service, { name: nameOf(input, snapshot), isFiles }),
    type: 'Opaque',
    immutable: true,
    data,
  };
}

/** The contents of a service's files: a ConfigMap for plain ones, a Secret for secret ones (facts 3.1). */
export function renderFiles(input: RenderInput, service: string): readonly Manifest[] {
  const plain = plainFiles(input, service);
  const secret = renderSecret(input, secretFiles(input, service), true);
  const config: Manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(input, service, { name: nameOf(input, plain), isFiles: true }),
    immutable: true,
    data: plain.data,
  };
  return [...(Object.keys(plain.data).length === 0 ? [] : [config]), ...(secret === undefined ? [] : [secret])];
}
