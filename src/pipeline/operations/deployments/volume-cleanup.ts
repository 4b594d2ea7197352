import { type Problem, problem } from '../../../kernel/index.ts';
import type { Application } from '../../../spec/index.ts';

/**
 * Whether the services whose own volumes somebody wants deleted with a release (facts 6.1) are ones that the release takes the volume from:
 * each has one now and none afterwards. `invalid_volume_cleanup` names the entry. Named volumes go with the application only.
 */
export function cleanupRefusal(
  names: readonly string[],
  accepted: Application | undefined,
  desired: Application,
): Problem | undefined {
  const volumeOf = (application: Application | undefined, name: string): unknown =>
    application !== undefined && Object.hasOwn(application.services, name)
      ? application.services[name]?.volume
      : undefined;
  for (const [index, name] of names.entries()) {
    const refuse = (message: string): Problem =>
      problem('invalid_volume_cleanup', message, { at: `delete_service_volumes.${index}` });
    if (names.indexOf(name) !== index) return refuse('is named twice');
    if (volumeOf(accepted, name) === undefined) return refuse('the service has no volume of its own now');
    if (volumeOf(desired, name) !== undefined) return refuse('the service keeps its volume in this release');
  }
  return undefined;
}
