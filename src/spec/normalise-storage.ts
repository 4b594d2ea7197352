import type {
  Application,
  CertificateMount,
  FileMount,
  Mount,
  NamedVolume,
  Service,
  TemporaryMount,
  Volume,
} from './application.ts';
import { normaliseSecretRef } from './normalise-run.ts';
import type { ServiceFile, SpecFile } from './schema.ts';
import { compare, mapValues, saysNothing, unsigned } from './sorted.ts';
import { sharedGroups } from './storage-groups.ts';

type Storage = {
  readonly volume?: Volume;
  readonly mounts: readonly Mount[];
  readonly temporary_mounts: readonly TemporaryMount[];
  readonly certificate_mounts: readonly CertificateMount[];
  readonly files: Readonly<Record<string, FileMount>>;
};

/** 0444, as Kubernetes takes it (facts 1.11). */
const READABLE = 292;

/** What a service has in its file system (facts 1.10, 1.11, 1.15). No two paths are equal, so mounts are sorted by theirs. */
export function normaliseStorage(file: ServiceFile): Storage {
  const { volume } = file;
  return {
    ...(volume === undefined || saysNothing(volume) ? {} : { volume: ownVolume(volume) }),
    mounts: byPath((file.mounts ?? []).map(mount)),
    temporary_mounts: byPath(
      (file.temporary_mounts ?? []).map(({ mount_path, size_mib, memory }) => ({
        mount_path,
        size_mib,
        memory: memory ?? false,
      })),
    ),
    certificate_mounts: byPath((file.certificate_mounts ?? []).map(certificateMount)),
    files: mapValues(file.files, fileMount),
  };
}

/** Named volumes (facts 1.10): one node's at a time unless said otherwise. */
export function normaliseVolumes(file: SpecFile['volumes']): Readonly<Record<string, NamedVolume>> {
  return mapValues(file, (volume) => ({
    size_gib: volume.size_gib,
    storage_class: volume.storage_class ?? '',
    access_mode: volume.access_mode || 'ReadWriteOnce',
  }));
}

function byPath<T extends { readonly mount_path: string }>(list: readonly T[]): readonly T[] {
  return list.toSorted((a, b) => compare(a.mount_path, b.mount_path));
}

function ownVolume(file: NonNullable<ServiceFile['volume']>): Volume {
  return {
    mount_path: file.mount_path ?? '',
    size_gib: unsigned(file.size_gib),
    storage_class: file.storage_class ?? '',
  };
}

function mount(file: NonNullable<ServiceFile['mounts']>[number]): Mount {
  return {
    volume: file.volume,
    mount_path: file.mount_path,
    read_only: file.read_only ?? false,
    sub_path: file.sub_path ?? '',
  };
}

function certificateMount(file: NonNullable<ServiceFile['certificate_mounts']>[number]): CertificateMount {
  return {
    certificate: file.certificate ?? '',
    source: file.source ?? '',
    hostname: file.hostname,
    mount_path: file.mount_path,
  };
}

/** An empty content beside a secret says nothing; alone it is an empty file. */
function fileMount(file: NonNullable<ServiceFile['files']>[string]): FileMount {
  const { secret, content } = file;
  const hasSecret = secret !== undefined && !saysNothing(secret);
  return {
    mount_path: file.mount_path,
    ...(content === undefined || (hasSecret && content === '') ? {} : { content }),
    ...(hasSecret ? { secret: normaliseSecretRef(secret) } : {}),
    mode: file.mode || READABLE,
  };
}

/**
 * Services that share volumes only one node can mount run on one node: what one of a group says about node and architecture holds for
 * all of it (facts 1.10). Where members disagree the group stays as it is, and the checks say so.
 */
export function propagatePlacement(application: Application): Application {
  const groups = sharedGroups(application);
  if (groups.length === 0) return application;
  const placed = new Map<string, Service>();
  for (const group of groups) {
    const node = agreed(group.map((name) => application.services[name]?.node_name ?? ''));
    const architecture = agreed(group.map((name) => application.services[name]?.architecture ?? ''));
    for (const name of group) {
      const service = application.services[name];
      if (service === undefined) continue;
      placed.set(name, {
        ...service,
        node_name: service.node_name || (node ?? ''),
        architecture: service.architecture || (architecture ?? ''),
      });
    }
  }
  return { ...application, services: mapValues(application.services, (service, name) => placed.get(name) ?? service) };
}

/** The one value that is said, if it is one. */
function agreed<T extends string>(values: readonly T[]): T | undefined {
  const said = new Set(values.filter((value) => value !== ''));
  return said.size === 1 ? [...said][0] : undefined;
}
