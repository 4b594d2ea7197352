import { type Application, sharedGroups } from '../spec/index.ts';

/**
 * The group of services that must run on one node because they share ReadWriteOnce volumes, directly or through others (facts 1.10):
 * named by the first of their volumes, or `undefined` for a service that shares none.
 */
export function storageGroup(application: Application, service: string): string | undefined {
  const members = sharedGroups(application).find((group) => group.includes(service)) ?? [];
  const volumes = members
    .flatMap((member) => application.services[member]?.mounts ?? [])
    .map(({ volume }) => volume)
    .filter((volume) => application.volumes[volume]?.access_mode === 'ReadWriteOnce');
  return volumes.sort()[0];
}
