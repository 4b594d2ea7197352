declare const brand: unique symbol;

/** A value a grant or a permission allows. Only this stage can make one, so that what skips the decision does not compile. */
export type Granted<T> = {
  readonly value: T;
  /** `release` for a push or a request over the API; a pull request may only be planned. */
  readonly purpose: 'plan' | 'release';
  /** A fork's plan must not tell which secrets exist (DESIGN invariant 9). */
  readonly fork: boolean;
  /** The revision of the grant that allowed it, 0 for a permission; anything else is stale (DESIGN invariant 10). */
  readonly grantRevision: number;
  readonly [brand]: true;
};

/** Marks a value as allowed. Not exported from the stage. */
export function granted<T>(allowed: Omit<Granted<T>, typeof brand>): Granted<T> {
  return allowed as Granted<T>;
}
