import type { Manifest } from '../../kernel/index.ts';
import type { HeldLease } from '../../ports/index.ts';
import { changed, fenceOf, holderOf, type LeaseContext, microTime } from './lease-record.ts';

/** Renewed three times in the time it lives, as client-go does. */
const RENEWALS = 3;
/** Given up before anybody else may think it expired. */
const SAFE_PART = 0.8;
const TRIES_PER_RENEWAL = 10;

/**
 * One held lease. It renews itself until released or lost. Its own deadline counts from before the last successful renewal was
 * sent, others count from after they saw it, so `signal` aborts before anybody else takes over, even when a renewal hangs.
 */
export class Holding implements HeldLease {
  readonly fence: number;
  readonly signal: AbortSignal;
  readonly #context: LeaseContext;
  readonly #forget: () => void;
  readonly #lost = new AbortController();
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  #lease: Manifest;
  #validUntil: number;

  constructor(context: LeaseContext, won: { readonly lease: Manifest; readonly sentAt: number }, forget: () => void) {
    this.#context = context;
    this.#forget = forget;
    this.#lease = won.lease;
    this.#validUntil = won.sentAt + context.durationMs * SAFE_PART;
    this.fence = fenceOf(won.lease);
    this.signal = this.#lost.signal;
    this.#renewing = this.#renew();
    void this.#guard();
  }

  async release(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    await this.#renewing;
    // free even when we lost it or can not say so: others then wait for it to expire
    const now = microTime(this.#context.clock.now());
    const emptied = changed(this.#lease, { holderIdentity: '', renewTime: now });
    if (!this.#lost.signal.aborted) {
      const released = await this.#context.cluster.replace(emptied);
      if (!released.ok) this.#context.log.warn('releasing a lease did not work', { code: released.problem.code });
    }
    this.#forget();
  }

  /** Aborts the signal when the lease's time is over, whatever the renewals do. */
  async #guard(): Promise<void> {
    const { clock, monotonic } = this.#context;
    for (;;) {
      const left = this.#validUntil - monotonic();
      if (this.#ended.signal.aborted || this.#lost.signal.aborted) return;
      if (left <= 0) return this.#lose();
      await clock.sleep(left, this.#ended.signal);
    }
  }

  async #renew(): Promise<void> {
    const { clock, durationMs } = this.#context;
    const interval = durationMs / RENEWALS;
    let pause = interval;
    for (;;) {
      await clock.sleep(pause, this.#ended.signal);
      if (this.#ended.signal.aborted || this.#lost.signal.aborted) return;
      pause = (await this.#renewOnce()) ? interval : interval / TRIES_PER_RENEWAL;
    }
  }

  /** True when renewed. False: try again soon, unless the lease was lost. */
  async #renewOnce(): Promise<boolean> {
    const { cluster, clock, monotonic, durationMs } = this.#context;
    const sentAt = monotonic();
    if (sentAt >= this.#validUntil) {
      this.#lose();
      return false;
    }
    const written = await cluster.replace(changed(this.#lease, { renewTime: microTime(clock.now()) }));
    if (written.ok) {
      this.#lease = written.value;
      this.#validUntil = sentAt + durationMs * SAFE_PART;
      return true;
    }
    if (written.problem.code === 'not_found') this.#lose();
    if (written.problem.code === 'conflict') await this.#lookAgain();
    return false;
  }

  /** A conflict: an earlier renewal of ours whose answer was lost, a foreign label, or a new holder. */
  async #lookAgain(): Promise<void> {
    const { cluster, holder, namespace } = this.#context;
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: this.#lease.metadata.name };
    const read = await cluster.get(ref);
    if (!read.ok) return;
    const lease = read.value;
    if (lease !== undefined && holderOf(lease) === holder && fenceOf(lease) === this.fence) this.#lease = lease;
    else this.#lose();
  }

  #lose(): void {
    if (this.#lost.signal.aborted || this.#ended.signal.aborted) return;
    this.#context.log.warn('lease lost', { lease: this.#lease.metadata.name, fence: this.fence });
    this.#lost.abort(new Error('the lease was lost'));
  }
}
