import type { Problem, Result } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import type { Deps } from '../context.ts';

type Step = NonNullable<Release['status']['steps']>[number];
type StepState = Step['state'];

/**
 * Keeps the steps of a release on record. Steps of services run side by side, so writes are queued one after another and each carries
 * everything known by then.
 */
export class StepRecorder {
  readonly #deps: Deps;
  readonly #release: string;
  readonly #prefix: string;
  #steps: readonly Step[];
  #writing: Promise<void> = Promise.resolve();
  #version = 0;
  #writtenVersion = 0;

  /** `prefix` leads the names of all steps. */
  constructor(deps: Deps, release: Release, prefix = '') {
    this.#deps = deps;
    this.#release = release.name;
    this.#prefix = prefix;
    this.#steps = release.status.steps ?? [];
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Whether anything is on record of a step. */
  has(step: string): boolean {
    return this.#steps.some(({ name }) => name === `${this.#prefix}${step}`);
  }

  /** Records where a step stands; the write happens in the background, in order. */
  set(step: string, state: StepState, p?: Problem): void {
    const name = `${this.#prefix}${step}`;
    const at = this.#deps.clock.now().toISOString();
    const index = this.#steps.findIndex((other) => other.name === name);
    const next: Step = {
      name,
      state,
      startedAt: state === 'running' ? at : (this.#steps[index]?.startedAt ?? at),
      at,
      ...(p === undefined ? {} : { code: p.code, message: p.message }),
    };
    this.#steps = index < 0 ? [...this.#steps, next] : this.#steps.with(index, next);
    this.#version += 1;
    this.#writing = this.#writing.then(() => this.#write());
  }

  /** Resolves when all that was set is on record, or could not be written; the next write carries it then. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    const version = this.#version;
    if (this.#writtenVersion === version) return;
    const written = await this.#deps.store.releases.updateStatus(this.#release, (current) => ({
      ...current.status,
      steps: [...this.#steps],
    }));
    if (written.ok) this.#writtenVersion = version;
    else this.#deps.log.warn('recording a step', { release: this.#release, code: written.problem.code });
  }
}

/** Runs a step and records how it went. */
export async function runStep<T>(
  recorder: StepRecorder,
  name: string,
  work: () => Promise<Result<T>>,
): Promise<Result<T>> {
  recorder.set(name, 'running');
  const done = await work();
  if (done.ok) recorder.set(name, 'done');
  else recorder.set(name, stateOf(done.problem), done.problem);
  return done;
}

function stateOf(p: Problem): StepState {
  if (p.kind !== 'rejected') return 'unknown';
  if (p.code === 'rollout_timeout' || p.code === 'job_timeout' || p.code === 'release_deadline') return 'timed_out';
  if (p.code === 'dependency_failed' || p.code === 'superseded') return 'skipped';
  if (p.code === 'rollout_failed' || p.code === 'job_failed') return 'failed';
  return 'refused';
}
