import type { Manifest } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, operationAnnotation, ownershipLabels, serviceLabels } from './labels.ts';
import { dataClaimName, namespaceName, volumeClaimName } from './names.ts';
import { fileKey } from './secret-values.ts';
import { plainFilesOf, secretFilesOf } from './snapshots.ts';

type Claim = {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly sizeGib: number;
  readonly storageClass: string;
  readonly accessMode: string;
};

function renderClaim(input: RenderInput, claim: Claim): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claim.name,
      namespace: namespaceName(input.id),
      labels: claim.labels,
      annotations: { ...operationAnnotation(input), [ANNOTATIONS.retainData]: 'true' },
    },
    spec: {
      accessModes: [claim.accessMode],
      resources: { requests: { storage: `${claim.sizeGib}Gi` } },
      ...(claim.storageClass === '' ? {} : { storageClassName: claim.storageClass }),
      volumeMode: 'Filesystem',
    },
  };
}

/** Every claim of an application, by name: its named volumes and its services' own ones. None is ever deleted (facts 3.1). */
export function renderClaims(input: RenderInput): readonly Manifest[] {
  const { application, id } = input;
  const named = Object.entries(application.volumes).map(([name, volume]) =>
    renderClaim(input, {
      name: volumeClaimName(name),
      labels: ownershipLabels(id),
      sizeGib: volume.size_gib,
      storageClass: volume.storage_class,
      accessMode: volume.access_mode,
    }),
  );
  const own = Object.entries(application.services).flatMap(([name, { volume }]) => {
    if (volume === undefined) return [];
    const claim = {
      name: dataClaimName(name),
      labels: serviceLabels(id, name),
      sizeGib: volume.size_gib,
      storageClass: volume.storage_class,
      accessMode: 'ReadWriteOnce',
    };
    return [renderClaim(input, claim)];
  });
  return [...named, ...own].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** True when the service keeps data: it then runs once and is replaced by stopping first (facts 1.10). */
export function keepsData(service: Service): boolean {
  return service.volume !== undefined || service.mounts.length > 0;
}

/** What a pod mounts, and where. */
export type PodStorage = { readonly volumes: readonly object[]; readonly volumeMounts: readonly object[] };

/** The volumes of a service's pods and where its container sees them, in the order claims, temporary space, files (facts 3.1 and 3.3). */
export function podStorage(input: RenderInput, name: string, service: Service): PodStorage {
  const parts = [ownData(name, service), named(service), temporary(service), sharedMemory(service)];
  const all = [...parts, files(input, name, service)];
  return { volumes: all.flatMap(({ volumes }) => volumes), volumeMounts: all.flatMap((part) => part.volumeMounts) };
}

function claimVolume(name: string, claimName: string): object {
  return { name, persistentVolumeClaim: { claimName } };
}

function ownData(name: string, { volume }: Service): PodStorage {
  if (volume === undefined) return { volumes: [], volumeMounts: [] };
  return {
    volumes: [claimVolume('data', dataClaimName(name))],
    volumeMounts: [{ name: 'data', mountPath: volume.mount_path, readOnly: false }],
  };
}

function named({ mounts }: Service): PodStorage {
  const volumes = [...new Set(mounts.map(({ volume }) => volume))].sort();
  return {
    volumes: volumes.map((volume) => claimVolume(`volume-${volume}`, volumeClaimName(volume))),
    volumeMounts: mounts.map(({ volume, mount_path, read_only, sub_path }) => ({
      name: `volume-${volume}`,
      mountPath: mount_path,
      readOnly: read_only,
      ...(sub_path === '' ? {} : { subPath: sub_path }),
    })),
  };
}

function temporary({ temporary_mounts: mounts }: Service): PodStorage {
  return {
    volumes: mounts.map(({ size_mib, memory }, i) => ({
      name: `temporary-${i}`,
      emptyDir: { sizeLimit: `${size_mib}Mi`, ...(memory ? { medium: 'Memory' } : {}) },
    })),
    volumeMounts: mounts.map(({ mount_path }, i) => ({
      name: `temporary-${i}`,
      mountPath: mount_path,
      readOnly: false,
    })),
  };
}

/** Programs on a GPU pass much through shared memory; the runtime's own 64 MiB are not enough (facts 3.3). */
function sharedMemory({ gpu }: Service): PodStorage {
  if (gpu === undefined) return { volumes: [], volumeMounts: [] };
  return {
    volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }],
    volumeMounts: [{ name: 'shm', mountPath: '/dev/shm', readOnly: false }],
  };
}

function files(input: RenderInput, name: string, service: Service): PodStorage {
  const sorted = Object.entries(service.files).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    volumes: sorted.map(([file, { secret, mode }], i) => {
      const item = (key: string): object => ({
        items: [{ key, path: 'file', mode }],
        defaultMode: mode,
        optional: false,
      });
      return secret === undefined
        ? { name: `config-file-${i}`, configMap: { name: plainFilesOf(input, name), ...item(file) } }
        : { name: `config-file-${i}`, secret: { secretName: secretFilesOf(input, name), ...item(fileKey(file)) } };
    }),
    volumeMounts: sorted.map(([, { mount_path }], i) => ({
      name: `config-file-${i}`,
      mountPath: mount_path,
      subPath: 'file',
      readOnly: true,
    })),
  };
}
