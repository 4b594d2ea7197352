import { canonicalJson } from './canonical.ts';
import type { Manifest } from './manifest.ts';

/** How a rollout stands. `failing`: what the controller says for now; it counts when said twice, see `secondStrike`. */
export type RolloutVerdict = {
  readonly state: 'ready' | 'waiting' | 'failing';
  /** Pods wanted, and ready ones as counted by the controller. */
  readonly desired: number;
  readonly ready: number;
  /** What fails: `progress` when the controller gave up, `replicas` when it may not create pods. */
  readonly failure?: 'progress' | 'replicas';
};

/** Pods of one service looked at (facts 3.7). */
const PODS = 64;

/**
 * The one verdict on a rollout, of reconciling an application and of every cluster operation.
 *
 * Ready only if the controller has observed this generation and its four counts are all the wanted number (absent: 1; 0 works) and, with
 * `pods`, exactly that many active ones exist, each Ready, with the template's labels and containers (facts 3.7). Failing when this
 * generation is observed and the controller gave up (`ProgressDeadlineExceeded`) or may not create pods (`ReplicaFailure`). `pods` are those
 * the selector selects; leave them out for a workload of someone else, into whose pods admission may put what its template does not say.
 */
export function rolloutVerdict(deployment: Manifest, pods?: readonly Manifest[]): RolloutVerdict {
  const spec = fields(deployment.spec);
  const status = fields(deployment.status);
  const desired = spec.replicas === undefined ? 1 : count(spec.replicas);
  const ready = count(status.readyReplicas);
  const base = { desired, ready };
  if (count(status.observedGeneration) < (deployment.metadata.generation ?? 0)) return { state: 'waiting', ...base };
  const counted = [status.replicas, status.updatedReplicas, status.readyReplicas, status.availableReplicas].every(
    (value) => count(value) === desired,
  );
  if (counted && (pods === undefined || allCurrent(pods, spec.template, desired))) return { state: 'ready', ...base };
  const conditions = list(status.conditions);
  const gaveUp = conditions.some((one) => one.type === 'Progressing' && one.reason === 'ProgressDeadlineExceeded');
  if (gaveUp) return { state: 'failing', ...base, failure: 'progress' };
  const refused = conditions.some((one) => one.type === 'ReplicaFailure' && one.status === 'True');
  return refused ? { state: 'failing', ...base, failure: 'replicas' } : { state: 'waiting', ...base };
}

/** Whether a pod still counts: neither ended nor being removed. */
export function isActivePod(pod: Manifest): boolean {
  const { phase } = fields(pod.status);
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
}

/** Whether a pod has the labels and containers of a template; admission may add to the rest. */
export function runsTemplate(pod: Manifest, template: unknown): boolean {
  const wanted = fields(fields(fields(template).metadata).labels);
  const labels = fields(pod.metadata.labels);
  const sameLabels = Object.entries(wanted).every(([key, value]) => labels[key] === value);
  return sameLabels && essence(pod) === essence(template);
}

/** A failure seen once, and when: handed from one judgement to the next. */
export type Strike = { readonly since: number } | undefined;

/**
 * Two strikes: right after an apply the controller may still show the condition of the rollout before, so a failure counts only when a second
 * reading in a row, at least `apartMs` after the first, says it again. Hand the strike back in with the next reading.
 */
export function secondStrike(
  failing: boolean,
  strike: Strike,
  at: { readonly now: Date; readonly apartMs: number },
): { readonly confirmed: boolean; readonly strike: Strike } {
  if (!failing) return { confirmed: false, strike: undefined };
  const now = at.now.getTime();
  if (strike === undefined) return { confirmed: false, strike: { since: now } };
  return { confirmed: now - strike.since >= at.apartMs, strike };
}

function allCurrent(pods: readonly Manifest[], template: unknown, desired: number): boolean {
  const active = pods.filter(isActivePod);
  return active.length === desired && active.slice(0, PODS).every((pod) => isReady(pod) && runsTemplate(pod, template));
}

function isReady(pod: Manifest): boolean {
  return list(fields(pod.status).conditions).find((one) => one.type === 'Ready')?.status === 'True';
}

/** What makes a container the one of the template. */
function essence(owner: unknown): string {
  const { containers } = fields(fields(owner).spec);
  return canonicalJson(list(containers).map((c) => [c.name, c.image, c.command, c.args, c.env]));
}

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

/** The API server leaves zeros out. */
function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
