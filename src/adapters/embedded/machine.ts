import type { Manifest } from '../../kernel/index.ts';
import type { Registry, ResourceInfo } from './resources.ts';
import type { ObjectStore } from './store.ts';

/** What a hook learns about a write. */
export type Admission = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly object: Manifest;
  readonly previous: Manifest | undefined;
  readonly subresource: string | undefined;
};

/** Answers why an object is refused, or undefined. */
export type AdmissionHook = (admission: Admission) => string | undefined;

/** Judges a new state of a custom resource, as a CEL rule would; answers the message of the refusal, or undefined. */
export type Validator = (next: Manifest, previous: Manifest | undefined) => string | undefined;

/** What the parts of the server share: the state, the kinds, time, and the hooks of the test or demo. */
export type Machine = {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly now: () => Date;
  /** Changes through `EmbeddedCluster.admit`; read at each write. */
  readonly hooks: { admit: AdmissionHook | undefined };
  /** By `group/Kind`. */
  readonly validators: Readonly<Record<string, Validator>>;
};

/** How a write was asked for. */
export type WriteOptions = {
  readonly dryRun: boolean;
  readonly manager: string;
  readonly validation: 'Strict' | 'Warn' | 'Ignore';
  readonly subresource: string | undefined;
};

/** The object a request names: its resource, namespace and name. */
export type Target = {
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly name: string;
};
