import type { Manifest } from '../kernel/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { environmentSecretName, namespaceName } from './names.ts';

/** The name pods refer to; in a preview there are no values, so the name has no hash. */
export function environmentSecretOf(input: RenderInput, service: string): string {
  if (input.preview === true) return `${service}-environment`;
  const scope = input.snapshotKey === undefined ? { id: input.id } : { id: input.id, snapshotKey: input.snapshotKey };
  return environmentSecretName(service, dataOf(input, service), scope);
}

/** An immutable snapshot of the values one service reads, or `undefined` when it reads none. */
export function renderEnvironmentSecret(input: RenderInput, service: string): Manifest | undefined {
  const data = dataOf(input, service);
  if (input.preview === true || Object.keys(data).length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: environmentSecretOf(input, service),
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, service),
      annotations: operationAnnotation(input),
    },
    type: 'Opaque',
    immutable: true,
    data,
  };
}

/** Only what the service declares: a value too many in the snapshot reaches no pod and no name. */
function dataOf(input: RenderInput, service: string): Record<string, string> {
  const names = Object.keys(input.application.services[service]?.secrets ?? {}).sort();
  const values = input.secrets[service] ?? {};
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const])),
  );
}
