/**
 * The simulated controllers: Deployment, ReplicaSet, Job, pods (scheduler and kubelet), garbage collection, namespaces, claims and
 * CustomResourceDefinitions. Each reads and writes the store alone, is woken by changes and timers, and never polls.
 */
export { CONTROLLERS } from './all.ts';
export { ControllerManager, DELAYS, type Delays } from './manager.ts';
