import { at, type CallFailure, type Manifest, type ObjectRef, refOf } from '../../../kernel/index.ts';
import { OPERATION_LABELS, ServiceName } from '../../../ports/cluster-operations/index.ts';
import { secretName } from './names.ts';
import { isOwned, type Owner, readObject } from './owned.ts';

/** An object of the instance, and the service its label names. */
export type Found = { readonly service: string; readonly object: Manifest };

export type Discovery =
  | { readonly ok: true; readonly found: readonly Found[] }
  | { readonly ok: false; readonly failure: CallFailure };

/** A Secret to look for by its name, and the service it belongs to. */
export type SecretGuess = { readonly service: string; readonly name: string };

const KINDS = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
] as const;

/**
 * Everything of an instance in a namespace but its claims, in the order it is to be removed (cluster operations 13): Deployments, Services and
 * ConfigMaps listed by the instance's label, and the Secrets their names promise. Secrets are never listed, only read by name, and count
 * only when they are the instance's own.
 */
export async function discover(
  owner: Owner,
  namespace: string,
  guesses: readonly SecretGuess[] = [],
): Promise<Discovery> {
  const found: Found[] = [];
  const seen = new Set<string>();
  const secret = async ({ service, name }: SecretGuess): Promise<CallFailure | undefined> => {
    if (seen.has(name)) return undefined;
    seen.add(name);
    const ref: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace, name };
    const answer = await readObject(owner, ref);
    if (!answer.ok) return answer.failure;
    if (answer.value !== undefined && isOwned(answer.value, owner.instanceId))
      found.push({ service, object: answer.value });
    return undefined;
  };
  for (const kind of KINDS) {
    const query = { ...kind, namespace, labelSelector: `${OPERATION_LABELS.instance}=${owner.instanceId}` };
    const listed = await owner.api.list(query, owner.context.signal);
    if (!listed.ok) return { ok: false, failure: listed.failure };
    for (const object of listed.value.items) {
      const service = serviceOf(object);
      if (service === undefined || !isOwned(object, owner.instanceId)) continue;
      found.push({ service, object });
      const name = secretBeside(object);
      const failure = name === undefined ? undefined : await secret({ service, name });
      if (failure !== undefined) return { ok: false, failure };
    }
  }
  for (const guess of guesses) {
    const failure = await secret(guess);
    if (failure !== undefined) return { ok: false, failure };
  }
  return { ok: true, found };
}

/** The service an object's label names; undefined when it is no name of one. */
export function serviceOf(object: Manifest): string | undefined {
  const name = ServiceName.safeParse(at(object, 'metadata', 'labels', OPERATION_LABELS.service));
  return name.success ? name.data : undefined;
}

/** A ConfigMap promises a Secret too, as the Deployment of its service may never have been made. */
function secretBeside(object: Manifest): string | undefined {
  const { kind, name } = refOf(object);
  if (kind === 'Deployment') return secretName(name);
  return kind === 'ConfigMap' && name.endsWith('-env') ? secretName(name.slice(0, -'-env'.length)) : undefined;
}
