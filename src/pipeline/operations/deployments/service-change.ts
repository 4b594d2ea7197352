import { fail, ok, problem, type Result } from '../../../kernel/index.ts';
import { type Application, isDeploymentJob, type Service } from '../../../spec/index.ts';
import type { Current } from './accept.ts';

/** What a person does to one service without touching the file (facts 6.5). */
export type ServiceChange =
  | { readonly kind: 'restart'; readonly nonce: string }
  | { readonly kind: 'scale'; readonly replicas: number }
  | { readonly kind: 'stop' | 'resume' };

/**
 * The accepted application with one service changed, and the digests everything keeps, so that nothing else moves. Codes: `not_found`,
 * `unresolved_base` while the accepted revision has no digests, `invalid_request` where the service can not be changed so.
 */
export function changeService(
  current: Current,
  name: string,
  change: ServiceChange,
): Result<{ readonly application: Application; readonly images: Readonly<Record<string, string>> }> {
  const { spec } = current;
  const service = spec !== undefined && Object.hasOwn(spec.services, name) ? spec.services[name] : undefined;
  if (spec === undefined || service === undefined) return fail(problem('not_found', 'there is no such service'));
  const images = current.releases[0]?.status.resolved ?? {};
  const unresolved = Object.keys(spec.services).find((other) => !Object.hasOwn(images, other));
  if (unresolved !== undefined)
    return fail(problem('unresolved_base', undefined, { at: `services.${unresolved}.image` }));
  const changed = changedService(service, change);
  if (!changed.ok) return fail({ ...changed.problem, at: `services.${name}` });
  return ok({ application: { ...spec, services: { ...spec.services, [name]: changed.value } }, images });
}

function changedService(service: Service, change: ServiceChange): Result<Service> {
  if (isDeploymentJob(service))
    return fail(problem('invalid_request', 'a deployment job runs once per revision; deploy the application again'));
  switch (change.kind) {
    case 'restart':
      return service.job === undefined
        ? ok({ ...service, restart_nonce: change.nonce })
        : fail(problem('invalid_request', 'a scheduled job can not be restarted'));
    case 'scale':
      return scaled(service, change.replicas);
    case 'stop':
      return ok({ ...service, suspended: true });
    case 'resume':
      return ok({ ...service, suspended: false });
  }
}

/** Facts 1.3: 1 to 20 replicas, one where there is a volume; an autoscaler decides for itself. */
function scaled(service: Service, replicas: number): Result<Service> {
  const refuse = (message: string): Result<Service> => fail(problem('invalid_request', message));
  if (service.job !== undefined) return refuse('a job has no replicas');
  if (service.autoscaling !== undefined) return refuse('the service scales itself; change autoscaling in the file');
  if (replicas < 1 || replicas > 20)
    return refuse('replicas must be 1 to 20; stop the service instead of scaling to 0');
  if (replicas > 1 && (service.volume !== undefined || service.mounts.length > 0))
    return refuse('a service with a volume has exactly one replica');
  return ok({ ...service, replicas });
}
