import type { Manifest } from '../kernel/index.ts';
import type { RenderInput } from './input.ts';
import { operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName, snapshotName } from './names.ts';

/** Key of a service's values, and of a Secret of type `kubernetes.io/dockerconfigjson`, under which a registry's login lies. */
export const DOCKER_CONFIG = '.dockerconfigjson';

/** Under which name the kubelet looks for the login of Docker Hub. */
const HUB = 'https://index.docker.io/v1/';

/** A login as the kubelet reads it, base64: for its one registry alone. */
export function dockerConfig(login: {
  readonly server: string;
  readonly username: string;
  readonly password: string;
}): string {
  const { server, username, password } = login;
  const auth = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  const auths = { [server === 'docker.io' ? HUB : server]: { username, password, auth } };
  return Buffer.from(JSON.stringify({ auths }), 'utf8').toString('base64');
}

/** The credentials a service's image is pulled with; in a preview those that the file selects. */
export function pullCredential(input: RenderInput, service: string): string | undefined {
  const selected = input.application.services[service]?.registry_credential ?? '';
  const known = input.credentials?.[service];
  return known ?? (input.preview === true && selected !== '' ? selected : undefined);
}

function dataOf(input: RenderInput, service: string): Readonly<Record<string, string>> {
  return { [DOCKER_CONFIG]: input.secrets[service]?.[DOCKER_CONFIG] ?? '' };
}

/** Name of the Secret a service's pods pull their image with, or `undefined` where anybody may pull it. */
export function pullSecretOf(input: RenderInput, service: string): string | undefined {
  if (pullCredential(input, service) === undefined) return undefined;
  const base = `${service}-registry`;
  if (input.preview === true) return base;
  const key = input.snapshotKey === undefined ? {} : { snapshotKey: input.snapshotKey };
  return snapshotName(base, dataOf(input, service), { id: input.id, service, ...key });
}

/** The snapshot of the login a service's image is pulled with (facts 5.8), immutable like all snapshots; none in a preview. */
export function renderPullSecret(input: RenderInput, service: string): Manifest | undefined {
  const name = pullSecretOf(input, service);
  if (name === undefined || input.preview === true) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, service),
      annotations: operationAnnotation(input),
    },
    type: 'kubernetes.io/dockerconfigjson',
    immutable: true,
    data: dataOf(input, service),
  };
}
