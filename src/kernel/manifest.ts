/** A Kubernetes object as plain JSON; written to the API server exactly as it stands. */
export type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
};

export type ObjectMeta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly [field: string]: unknown;
};

/** What names one object. `namespace` is absent for cluster-scoped kinds. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
};

/** The reference that names a manifest. */
export function refOf(manifest: Manifest): ObjectRef {
  const { apiVersion, kind, metadata } = manifest;
  const base = { apiVersion, kind, name: metadata.name };
  return metadata.namespace === undefined ? base : { ...base, namespace: metadata.namespace };
}

/** `Kind/name` for people; the namespace is ours alone and left out. */
export function displayRef(ref: ObjectRef): string {
  return `${ref.kind}/${ref.name}`;
}

/** One line that identifies an object in a cluster, or without namespaces among a request's; versions of a kind are the same object. */
export function refKey(ref: { readonly [Part in keyof ObjectRef]: ObjectRef[Part] | undefined }): string {
  const { apiVersion = '', kind, namespace = '', name } = ref;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${group}/${kind}/${namespace}/${name}`;
}
