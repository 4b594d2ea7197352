import type { Application } from './application.ts';

/**
 * Groups of two and more services that share, also over others, named volumes which only one node can mount at a time (facts 1.10).
 * Members and groups are sorted by name.
 */
export function sharedGroups(application: Pick<Application, 'services' | 'volumes'>): readonly (readonly string[])[] {
  const group = new Map<string, string[]>();
  const firstUser = new Map<string, string>();
  for (const name of Object.keys(application.services).sort()) {
    for (const { volume } of application.services[name]?.mounts ?? []) {
      const declared = Object.hasOwn(application.volumes, volume) ? application.volumes[volume] : undefined;
      if (declared?.access_mode !== 'ReadWriteOnce') continue;
      const first = firstUser.get(volume);
      if (first === undefined) firstUser.set(volume, name);
      else join(group, first, name);
    }
  }
  return [...new Set(group.values())].map((members) => members.toSorted());
}

/** What a group of services is called: the first of the ReadWriteOnce volumes they mount. */
export function storageGroupName(
  application: Pick<Application, 'services' | 'volumes'>,
  members: readonly string[],
): string | undefined {
  return members
    .flatMap((member) => application.services[member]?.mounts ?? [])
    .map(({ volume }) => volume)
    .filter((volume) => application.volumes[volume]?.access_mode === 'ReadWriteOnce')
    .sort()[0];
}

function join(group: Map<string, string[]>, a: string, b: string): void {
  const ours = group.get(a) ?? [a];
  const theirs = group.get(b) ?? [b];
  const both = ours === theirs ? ours : [...new Set([...ours, ...theirs])];
  for (const member of both) group.set(member, both);
}
