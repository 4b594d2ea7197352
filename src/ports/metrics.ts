/** Counts and durations of the running process; a sink without failure. */
export interface Metrics {
  delivery(forge: string, result: string): void;
  stage(stage: string, outcome: string, seconds: number): void;
  release(outcome: string): void;
  /** How many deploy grants there are in each state now. */
  grants(counts: { readonly valid: number; readonly expiring: number; readonly expired: number }): void;
}
