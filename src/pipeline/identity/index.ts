/**
 * The identity of the installation while a process runs. In: the store of it, leases, the control namespace. Out: nothing, or the one problem
 * that ends the process. It never saves without holding the Lease.
 */
export { IDENTITY_LEASE, type KeepIdentity, keepIdentity } from './keep.ts';
