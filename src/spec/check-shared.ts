import type { Application } from './application.ts';
import type { Finding, Path } from './path.ts';
import { at, type Checked, when } from './rule.ts';
import { compare } from './sorted.ts';
import { sharedGroups } from './storage-groups.ts';

const CLAIMS = 20;
const TOTAL_GIB = 200;

/** Storage across services (facts 1.1, 1.10). */
export function checkSharedStorage(checked: Checked): readonly Finding[] {
  if (!checked.known.root('volumes')) return [];
  return [...classes(checked), ...undeclared(checked), ...totals(checked), ...sameClaim(checked), ...shares(checked)];
}

/** Not every class can be mounted by many nodes, so the default one is not assumed to. */
function classes({ application }: Checked): readonly Finding[] {
  return Object.entries(application.volumes).flatMap(([name, { access_mode, storage_class }]) =>
    when(
      access_mode === 'ReadWriteMany' && storage_class === '',
      ['volumes', name, 'storage_class'],
      'is required for ReadWriteMany',
    ),
  );
}

function undeclared({ application, file }: Checked): readonly Finding[] {
  return Object.entries(file.services).flatMap(([name, { mounts = [] }]) =>
    mounts.flatMap(({ volume }, i) =>
      when(
        !Object.hasOwn(application.volumes, volume),
        ['services', name, 'mounts', i, 'volume'],
        'there is no volume of this name',
      ),
    ),
  );
}

/** Every claim with its size, named volumes first. */
function claims(application: Application): readonly { readonly path: Path; readonly gib: number }[] {
  return [
    ...Object.entries(application.volumes).map(([name, { size_gib }]) => ({ path: ['volumes', name], gib: size_gib })),
    ...Object.entries(application.services).flatMap(([name, { volume }]) =>
      volume === undefined ? [] : [{ path: ['services', name, 'volume'], gib: volume.size_gib }],
    ),
  ];
}

function totals({ application }: Checked): readonly Finding[] {
  const all = claims(application);
  let gib = 0;
  const over = all.find((claim) => {
    gib += claim.gib;
    return gib > TOTAL_GIB;
  });
  const extra = all[CLAIMS];
  return [
    ...(extra === undefined ? [] : at(extra.path, `the application must have at most ${CLAIMS} volumes`)),
    ...(over === undefined
      ? []
      : at([...over.path, 'size_gib'], `the volumes of the application must be at most ${TOTAL_GIB} GiB together`)),
  ];
}

/** The claim of a service's own volume may have the name of a named volume's. */
function sameClaim({ application }: Checked): readonly Finding[] {
  const named = new Set(Object.keys(application.volumes).map((name) => `hakopod-volume-${name}`));
  return Object.entries(application.services).flatMap(([name, { volume }]) =>
    when(
      volume !== undefined && named.has(`${name}-data`),
      ['services', name, 'volume'],
      'has the same claim as a named volume',
    ),
  );
}

function shares(checked: Checked): readonly Finding[] {
  return [...groups(checked), ...placement(checked), ...exclusive(checked)];
}

/** Services that share a volume write with the same group. */
function groups({ application, known }: Checked): readonly Finding[] {
  const first = new Map<string, number>();
  const reported = new Set<string>();
  return Object.entries(application.services).flatMap(([name, service]) => {
    if (!known.fields(name, ['mounts', 'fs_group', 'run_as_user'])) return [];
    return service.mounts.flatMap(({ volume }) => {
      const group = first.get(volume) ?? service.fs_group;
      first.set(volume, group);
      if (group === service.fs_group || reported.has(name)) return [];
      reported.add(name);
      return at(['services', name, 'fs_group'], 'must be the same on all services that share a named volume');
    });
  });
}

/** Services on one node can not ask for two (facts 1.10). The members of a group that agree have the value by now. */
function placement({ application, known }: Checked): readonly Finding[] {
  const fields = ['node_name', 'architecture'] as const;
  return sharedGroups(application).flatMap((group) =>
    fields.flatMap((field) => {
      const members = group.filter((name) => known.fields(name, [field]) && application.services[name]?.[field] !== '');
      const first = application.services[members[0] ?? '']?.[field];
      const other = members.find((name) => application.services[name]?.[field] !== first);
      if (other === undefined) return [];
      return at(
        ['services', other, field],
        'must be the same on all services that share a ReadWriteOnce volume, also over others',
      );
    }),
  );
}

/** Jobs and runner pools do not run on the node of the services, so they share no ReadWriteOnce volume with them. */
function exclusive({ application, file }: Checked): readonly Finding[] {
  const users = new Map<string, Set<string>>();
  for (const [name, { mounts }] of Object.entries(application.services))
    for (const { volume } of mounts) users.set(volume, (users.get(volume) ?? new Set()).add(name));
  const once = (volume: string): boolean =>
    Object.hasOwn(application.volumes, volume) && application.volumes[volume]?.access_mode === 'ReadWriteOnce';
  return Object.entries(file.services)
    .sort(([a], [b]) => compare(a, b))
    .flatMap(([name, { job, actions, mounts = [] }]) =>
      job === undefined && actions === undefined
        ? []
        : mounts.flatMap(({ volume }, i) =>
            when(
              once(volume) && (users.get(volume)?.size ?? 0) > 1,
              ['services', name, 'mounts', i, 'volume'],
              'a job or runner pool can only share a ReadWriteMany volume',
            ),
          ),
    );
}
