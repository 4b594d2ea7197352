import { MANAGED_BY, type Manifest } from '../../kernel/index.ts';
import type { Clock, Cluster, Log } from '../../ports/index.ts';

/** What all leases of one process share. */
export type LeaseContext = {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly holder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly durationMs: number;
  readonly monotonic: () => number;
};

type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly leaseDurationSeconds?: number;
};

/** No promise of a foreign holder is believed beyond this, or a typing error would lock an application for ever. */
const LONGEST_PROMISE_MS = 10 * 60_000;

function specOf(lease: Manifest): LeaseSpec {
  return (lease.spec ?? {}) as LeaseSpec;
}

/** The holder's identity; empty when the lease is free. */
export function holderOf(lease: Manifest): string {
  return specOf(lease).holderIdentity ?? '';
}

/** How often the holder changed; the fence. */
export function fenceOf(lease: Manifest): number {
  return specOf(lease).leaseTransitions ?? 0;
}

/** How long its holder may stay silent, in milliseconds. */
export function promiseMs(lease: Manifest, otherwise: number): number {
  const seconds = specOf(lease).leaseDurationSeconds;
  return seconds === undefined ? otherwise : Math.min(seconds * 1000, LONGEST_PROMISE_MS);
}

/** The lease as we want it held, at the resourceVersion of `current`. */
export function leaseManifest(
  context: LeaseContext,
  lease: { readonly name: string; readonly current: Manifest | undefined; readonly fence: number },
): Manifest {
  const now = microTime(context.clock.now());
  const metadata = lease.current?.metadata ?? {
    name: lease.name,
    namespace: context.namespace,
    labels: MANAGED_BY,
  };
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata,
    spec: {
      holderIdentity: context.holder,
      leaseDurationSeconds: Math.max(1, Math.ceil(context.durationMs / 1000)),
      acquireTime: now,
      renewTime: now,
      leaseTransitions: lease.fence,
    },
  };
}

/** The lease with some fields of its spec changed. */
export function changed(lease: Manifest, spec: Readonly<Record<string, unknown>>): Manifest {
  return { ...lease, spec: { ...specOf(lease), ...spec } };
}

/** Kubernetes' MicroTime: exactly six digits of a second. */
export function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
