/** What a pod asks for or a node has: CPU in thousandths of a core, memory in bytes, whole GPUs. */
export type Amounts = { readonly cpuMillis: number; readonly memoryBytes: number; readonly gpus: number };

/** A node as far as placing pods goes. */
export type ObservedNode = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly ready: boolean;
  /** Cordoned. */
  readonly unschedulable: boolean;
  readonly taints: readonly { readonly key: string; readonly effect: string }[];
  readonly allocatable: Amounts;
  /** Free bytes of its file system or of the one for images, whichever is less; absent when not known. */
  readonly freeDiskBytes?: number;
};

/** What the pods of one namespace on one node ask for together. */
export type PlacedRequests = { readonly node: string; readonly namespace: string; readonly amounts: Amounts };

export type ObservedStorageClass = {
  readonly name: string;
  readonly provisioner: string;
  readonly isDefault: boolean;
};

/** One requirement of a Kubernetes node selector term. */
export type NodeRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
};

/** A node selector term: all of it must hold. `fields` are about `metadata.name`, the one field Kubernetes knows there. */
export type NodeTerm = {
  readonly expressions: readonly NodeRequirement[];
  readonly fields: readonly NodeRequirement[];
};

/** A claim that exists, with where its volume can be used. */
export type ObservedClaim = {
  readonly name: string;
  /** Empty when it names none. */
  readonly storageClass: string;
  readonly sizeBytes: number;
  readonly accessModes: readonly string[];
  /** Of the volume it is bound to: one of the terms must hold; absent when any node will do, or it is not bound. */
  readonly nodeTerms?: readonly NodeTerm[];
};

/** The cluster at one moment, as far as it says whether something fits. */
export type ClusterObservation = {
  readonly observedAt: Date;
  readonly nodes: readonly ObservedNode[];
  /** Of pods that have not ended and have a node. */
  readonly placed: readonly PlacedRequests[];
  readonly storageClasses: readonly ObservedStorageClass[];
};

/** The resource of NVIDIA's device plugin, and the taint of nodes that have it. */
export const GPU = 'nvidia.com/gpu';

/** Taints that keep pods away; `PreferNoSchedule` does not. */
const REPELLING: ReadonlySet<string> = new Set(['NoSchedule', 'NoExecute']);

/**
 * Whether pods are placed on a node (facts 11.3): Ready, not cordoned, and no taint that keeps them away but the one of GPUs, which services
 * that ask for one tolerate.
 */
export function isEligible({ ready, unschedulable, taints }: ObservedNode): boolean {
  return ready && !unschedulable && taints.every(({ key, effect }) => key === GPU || !REPELLING.has(effect));
}

/** Whether a node is kept for pods that ask for a GPU. */
export function isForGpus({ taints }: ObservedNode): boolean {
  return taints.some(({ key, effect }) => key === GPU && REPELLING.has(effect));
}
