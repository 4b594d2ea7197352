import { canonicalJson, sha256 } from '../../../kernel/index.ts';
import type { Behaviours } from '../behaviour.ts';
import type { Machine } from '../machine.ts';
import type { Change } from '../store.ts';

/** How long simulated things take, in milliseconds. */
export type Delays = {
  /** From a pod's creation to its containers' start. */
  readonly podStartMs: number;
  /** From the start of a job's containers to their end. */
  readonly jobRunMs: number;
  /** How long one second of `minReadySeconds` lasts. */
  readonly minReadySecondMs: number;
  /** How long one second of `activeDeadlineSeconds`, `progressDeadlineSeconds` and `ttlSecondsAfterFinished` lasts. */
  readonly deadlineSecondMs: number;
};

export const DELAYS: Delays = { podStartMs: 2, jobRunMs: 2, minReadySecondMs: 5, deadlineSecondMs: 1000 };

/** What a controller works with. */
export type ControllerContext = {
  readonly machine: Machine;
  readonly delays: Delays;
  readonly behaviours: () => Behaviours;
  /** Looks at the object with this uid again after `ms`, by the same controller. */
  readonly later: (uid: string, ms: number) => void;
  /** Milliseconds since an event of this object first seen by this process; sets it when new. */
  readonly since: (uid: string, event: string) => number;
  readonly forget: (uid: string, event: string) => void;
  /** Ten hex digits that identify a JSON value; remembered, because stored values never change. */
  readonly hash: (value: object) => string;
};

/** Level-triggered: `reconcile` looks at the object as it is now and takes the next step, whatever woke it. */
export type Controller = {
  readonly name: string;
  /** The uids of the objects to look at after a change. */
  readonly wakes: (change: Change, machine: Machine) => readonly string[];
  readonly reconcile: (context: ControllerContext, uid: string) => void;
};

/** Reconciliations in one turn of the event loop, so that requests are answered in between. */
const PER_TURN = 100;

/** Runs the controllers: driven by changes and timers, never by polling; one reconciliation at a time, in order of arrival. */
export class ControllerManager {
  readonly #controllers: readonly Controller[];
  readonly #machine: Machine;
  readonly #queue = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #marks = new Map<string, number>();
  readonly #hashes = new WeakMap<object, string>();
  readonly #contexts = new Map<string, ControllerContext>();
  #turn: NodeJS.Immediate | undefined;
  #stopped = false;

  constructor(
    machine: Machine,
    controllers: readonly Controller[],
    options: { readonly delays: Delays; readonly behaviours: () => Behaviours },
  ) {
    this.#machine = machine;
    this.#controllers = controllers;
    for (const { name } of controllers) {
      this.#contexts.set(name, {
        machine,
        ...options,
        later: (uid, ms) => this.#later(`${name}/${uid}`, ms),
        since: (uid, event) => this.#since(`${uid}/${event}`),
        hash: (value) => this.#hash(value),
        forget: (uid, event) => this.#marks.delete(`${uid}/${event}`),
      });
    }
    machine.store.onChange((change) => this.wake(change));
  }

  /** Looks at everything once, as controllers do when they start. */
  resume(): void {
    for (const { info, object } of this.#machine.store.all()) {
      this.wake({ version: 0, info, type: 'ADDED', object, previous: undefined });
    }
  }

  wake(change: Change): void {
    if (this.#stopped) return;
    for (const controller of this.#controllers) {
      for (const uid of controller.wakes(change, this.#machine)) this.#queue.add(`${controller.name}/${uid}`);
    }
    if (change.type === 'DELETED') this.#drop(change.object.metadata.uid ?? '');
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    clearImmediate(this.#turn);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#queue.clear();
  }

  #schedule(): void {
    if (this.#queue.size > 0 && !this.#stopped) this.#turn ??= setImmediate(() => this.#run());
  }

  #run(): void {
    this.#turn = undefined;
    let left = PER_TURN;
    for (const key of this.#queue) {
      this.#queue.delete(key);
      const slash = key.indexOf('/');
      const name = key.slice(0, slash);
      const context = this.#contexts.get(name);
      const controller = this.#controllers.find((candidate) => candidate.name === name);
      if (context !== undefined) controller?.reconcile(context, key.slice(slash + 1));
      left -= 1;
      if (left === 0) break;
    }
    this.#schedule();
  }

  #later(key: string, ms: number): void {
    clearTimeout(this.#timers.get(key));
    const timer = setTimeout(() => {
      this.#timers.delete(key);
      this.#queue.add(key);
      this.#schedule();
    }, ms);
    this.#timers.set(key, timer);
  }

  #since(mark: string): number {
    const now = performance.now();
    const begun = this.#marks.get(mark) ?? now;
    this.#marks.set(mark, begun);
    return now - begun;
  }

  #hash(value: object): string {
    let hash = this.#hashes.get(value);
    if (hash === undefined) {
      hash = sha256(canonicalJson(value)).slice(0, 10);
      this.#hashes.set(value, hash);
    }
    return hash;
  }

  #drop(uid: string): void {
    for (const event of ['created', 'ready', 'started', 'progress', 'finished']) this.#marks.delete(`${uid}/${event}`);
    for (const { name } of this.#controllers) {
      clearTimeout(this.#timers.get(`${name}/${uid}`));
      this.#timers.delete(`${name}/${uid}`);
    }
  }
}
