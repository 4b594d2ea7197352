/**
 * Every durable fact as custom resources and Secrets of the control namespace, over the `Cluster` port: the store, application
 * secrets, credentials, the receiver's directory of hooks, and the custom resource definitions themselves. Input and output are
 * values of the ports. It never writes without the resourceVersion it read, never lets a status lower a fence, and never changes a
 * Secret that Hakopod did not make.
 */
export { type AccessStore, createAccessStore } from './access-store.ts';
export { createCertificateStore } from './certificate-store.ts';
export { createClusterRunStore } from './cluster-run-store.ts';
export { crdFiles } from './crd-files.ts';
export { customResourceDefinitions, ensureCrds } from './crds.ts';
export { createCredentialStore } from './credential-store.ts';
export { createHookDirectory, type RunningHookDirectory } from './hook-directory.ts';
export { installationKey } from './installation-key.ts';
export { createSecretStore, type SecretStoreOptions } from './secret-store.ts';
export { createStore, type StoreOptions } from './store.ts';
export { type TransitionRule, transitionRules } from './transition-rules.ts';
