/** What one installation at a forge may ask in how much time; absent limits are those of the forge's answers alone. */
export type BudgetLimits = {
  /** Points there are after a quiet time. */
  readonly capacity: number;
  readonly perSecond: number;
};

/**
 * What a forge lets one of our installations do, shared by every worker: a forge counts per token or installation, whichever process asks.
 * Never fails: without Redis nobody is held back, and the forge says no by itself.
 */
export interface ForgeBudget {
  /**
   * Takes `points` from the installation's budget. 0 when the call may be made; else the milliseconds after which it is this caller's
   * turn, and nothing was taken. `limits` is left out for forges that limit nothing by default.
   */
  take(installation: string, points: number, limits: BudgetLimits | undefined): Promise<number>;
  /** Nobody calls as this installation for so many milliseconds; a pause that is longer already stays. */
  pause(installation: string, ms: number): Promise<void>;
}
