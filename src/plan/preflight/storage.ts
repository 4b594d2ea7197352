import { type ClusterObservation, type ObservedClaim, type Problem, problem } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';
import type { ClaimsOf } from './claims.ts';

const GIB = 1024 ** 3;

/** Provisioners whose volumes one node at a time can use, whatever a claim says (facts 11.4): local-path and EBS. */
const SINGLE_NODE: ReadonlySet<string> = new Set(['rancher.io/local-path', 'ebs.csi.aws.com', 'kubernetes.io/aws-ebs']);

/** A volume an application asks for, and the claim of it that exists. */
type Wanted = {
  /** Where the file says so. */
  readonly at: string;
  readonly sizeGib: number;
  readonly storageClass: string;
  readonly accessMode: string;
  readonly claim: ObservedClaim | undefined;
};

/** What a volume can not be. Known classes that only one node can use are refused for ReadWriteMany; of others the operator knows best. */
export function storageProblems(
  application: Application,
  cluster: ClusterObservation,
  claims: ClaimsOf,
): readonly Problem[] {
  return wantedOf(application, claims).flatMap((wanted) => [
    ...classProblems(wanted, cluster),
    ...(wanted.claim === undefined ? [] : changeProblems(wanted, wanted.claim)),
  ]);
}

/** What is not known of an application's storage. */
export function storageWarnings(
  application: Application,
  cluster: ClusterObservation,
  claims: ClaimsOf,
): readonly string[] {
  if (cluster.storageClasses.some(({ isDefault }) => isDefault)) return [];
  return wantedOf(application, claims)
    .filter(({ storageClass, claim }) => storageClass === '' && claim === undefined)
    .map(
      ({ at }) => `${at}.storage_class: the cluster has no default class; the volume waits until somebody provides one`,
    );
}

function wantedOf(application: Application, claims: ClaimsOf): readonly Wanted[] {
  const named = Object.entries(application.volumes).map(([name, volume]) => ({
    at: `volumes.${name}`,
    sizeGib: volume.size_gib,
    storageClass: volume.storage_class,
    accessMode: volume.access_mode as string,
    claim: Object.hasOwn(claims.volumes, name) ? claims.volumes[name] : undefined,
  }));
  const own = Object.entries(application.services).flatMap(([name, { volume }]): readonly Wanted[] =>
    volume === undefined
      ? []
      : [
          {
            at: `services.${name}.volume`,
            sizeGib: volume.size_gib,
            storageClass: volume.storage_class,
            accessMode: 'ReadWriteOnce',
            claim: Object.hasOwn(claims.own, name) ? claims.own[name] : undefined,
          },
        ],
  );
  return [...named, ...own].sort((a, b) => (a.at < b.at ? -1 : 1));
}

function classProblems(
  { at, storageClass, accessMode, claim }: Wanted,
  cluster: ClusterObservation,
): readonly Problem[] {
  if (storageClass === '') return [];
  const refuse = (message: string): readonly Problem[] => [
    problem('delivery_unavailable', message, { at: `${at}.storage_class` }),
  ];
  const known = cluster.storageClasses.find(({ name }) => name === storageClass);
  // A volume that exists needs its class no more.
  if (known === undefined) return claim === undefined ? refuse('the cluster has no storage class of this name') : [];
  return accessMode === 'ReadWriteMany' && SINGLE_NODE.has(known.provisioner)
    ? refuse('volumes of this class can be used on one node only; ReadWriteMany needs a class of shared storage')
    : [];
}

/** Size, class and access mode of a claim that exists stay as they are (facts 11.4). A claim that names no class got the default one. */
function changeProblems({ at, sizeGib, storageClass, accessMode }: Wanted, claim: ObservedClaim): readonly Problem[] {
  const changes = [
    claim.sizeBytes === sizeGib * GIB ? undefined : 'size_gib',
    storageClass === '' || storageClass === claim.storageClass ? undefined : 'storage_class',
    claim.accessModes.length === 1 && claim.accessModes[0] === accessMode ? undefined : 'access_mode',
  ];
  return changes
    .filter((field) => field !== undefined)
    .map((field) => problem('volume_change', undefined, { at: `${at}.${field}` }));
}
