/**
 * An in-process Kubernetes API over HTTP (DESIGN 8): the client code that talks to it is the client code that talks to a real cluster.
 * In: options (port, CRDs, how workloads behave, faults). Out: a URL, a token, a kubeconfig. Objects live in memory; Deployments, Jobs,
 * garbage collection and namespaces are simulated. It never runs a container, never evaluates CEL, listens on 127.0.0.1 only, and the
 * wiring refuses it outside the demo and tests.
 */
export type { Denial } from './access.ts';
export { BEHAVIOUR, type Behaviour, type Behaviours } from './behaviour.ts';
export { type EmbeddedCluster, type EmbeddedOptions, type EmbeddedState, startEmbeddedCluster } from './cluster.ts';
export type { Delays } from './controllers/index.ts';
export type { Fault, FaultHook, RequestCounts, RequestInfo } from './faults.ts';
export type { Admission, AdmissionHook, Validator } from './machine.ts';
