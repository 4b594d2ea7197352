import type { Application } from '../spec/index.ts';

/** The ReadWriteOnce volumes a service mounts. */
function singleNodeVolumes(application: Application, service: string): readonly string[] {
  const mounts = application.services[service]?.mounts ?? [];
  return mounts
    .map(({ volume }) => volume)
    .filter((volume) => application.volumes[volume]?.access_mode === 'ReadWriteOnce');
}

/**
 * The group of services that must run on one node because they share ReadWriteOnce volumes, directly or through others (facts 1.10):
 * named by the first of the group's volumes, or `undefined` for a service that shares none.
 */
export function storageGroup(application: Application, service: string): string | undefined {
  const volumes = new Set(singleNodeVolumes(application, service));
  const members = new Set([service]);
  const others = Object.keys(application.services);
  for (let size = 0; size !== members.size + volumes.size; ) {
    size = members.size + volumes.size;
    for (const other of others) {
      const theirs = singleNodeVolumes(application, other);
      if (!theirs.some((volume) => volumes.has(volume))) continue;
      members.add(other);
      for (const volume of theirs) volumes.add(volume);
    }
  }
  return members.size < 2 ? undefined : [...volumes].sort()[0];
}
