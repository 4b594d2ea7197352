import { type Application, sharedGroups, storageGroupName } from '../spec/index.ts';

/**
 * The group of services that must run on one node because they share ReadWriteOnce volumes, directly or through others (facts 1.10):
 * named by the first of their volumes, or `undefined` for a service that shares none.
 */
export function storageGroup(application: Application, service: string): string | undefined {
  const members = sharedGroups(application).find((group) => group.includes(service)) ?? [];
  return storageGroupName(application, members);
}
