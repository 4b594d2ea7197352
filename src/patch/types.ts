export type { Json } from '../kernel/index.ts';

/** The rendered objects a service may patch; also the keys of `[services.X.kubernetes]`. */
export type PatchKind = 'deployment' | 'service' | 'ingress';

/** What the API server reads a JSON value into. */
export type Scalar = 'string' | 'bool' | 'int32' | 'int64' | 'bytes' | 'int-or-string' | 'quantity' | 'time' | 'raw';

/** The type of a field: a scalar, another type of the table by its name, a list or a map with string keys. */
export type FieldType =
  | { readonly scalar: Scalar }
  | { readonly ref: string }
  | { readonly list: FieldType }
  | { readonly map: FieldType };

/** How `patchStrategy` says a field is patched. Absent: maps and objects merge, lists and scalars are replaced. */
export type PatchStrategy = 'merge' | 'replace' | 'retainKeys';

export type Field = {
  readonly type: FieldType;
  /** `patchMergeKey`: what identifies an element of a list of objects whose strategy is `merge`. */
  readonly mergeKey?: string;
  readonly strategy?: readonly PatchStrategy[];
};

/** The fields of one type by their JSON names. */
export type ObjectType = { readonly [field: string]: Field };

/** Every type the patchable kinds reach, generated from the Go types of one Kubernetes version. */
export type FieldTable = {
  /** Version of the Go module `k8s.io/api`, such as `v0.35.4`. */
  readonly version: string;
  /** The type of each kind's object. */
  readonly kinds: Readonly<Record<PatchKind, string>>;
  readonly types: { readonly [name: string]: ObjectType };
};
