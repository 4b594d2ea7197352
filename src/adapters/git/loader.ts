import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import { orAborted } from './flight.ts';
import type { GitObject } from './objects.ts';

/** What an object is wanted as. Commits are fetched shallow, and a size limit differs by kind. */
export type Kind = 'commit' | 'tree' | 'blob';
export type Loaded = ReadonlyMap<string, Result<GitObject>>;

/** Fetches some objects in one go. Answers for every id; never throws. */
export type FetchBatch = (
  want: { readonly kind: Kind; readonly oids: readonly string[]; readonly limit: number },
  signal: AbortSignal,
) => Promise<Loaded>;

/** Wants in one request: 1,000 paths of one level are a few requests, and a request stays under 64 KiB. */
export const BATCH = 1000;
/** Requests of one repository under way at once. */
const PARALLEL = 4;

type Ticket = {
  readonly oid: string;
  readonly result: Promise<Result<GitObject>>;
  readonly settle: (result: Result<GitObject>) => void;
  waiters: number;
  batch?: { readonly controller: AbortController; live: number };
};
type Lane = {
  readonly kind: Kind;
  readonly limit: number;
  readonly waiting: Map<string, Ticket>;
  readonly all: Map<string, Ticket>;
};

/**
 * Joins what concurrent callers want of one repository: the same object is fetched once, and different ones travel in one request. A
 * request is aborted when nobody waits for any of its objects any more.
 */
export class Loader {
  readonly #fetch: FetchBatch;
  readonly #lanes = new Map<string, Lane>();
  #active = 0;

  constructor(fetch: FetchBatch) {
    this.#fetch = fetch;
  }

  /** Objects by id; each id has an answer. `limit` is the most bytes one of them may have. */
  async load(
    want: { readonly kind: Kind; readonly oids: readonly string[]; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Loaded> {
    const lane = this.#lane(want.kind, want.limit);
    const tickets = [...new Set(want.oids)].map((oid) => this.#ticket(lane, oid));
    setImmediate(() => this.#pump());
    const all = await orAborted(
      Promise.all(tickets.map(async (ticket) => [ticket.oid, await ticket.result] as const)).then(ok),
      signal,
    );
    for (const ticket of tickets) this.#leave(lane, ticket);
    return new Map(all.ok ? all.value : tickets.map((ticket) => [ticket.oid, all]));
  }

  #lane(kind: Kind, limit: number): Lane {
    const key = `${kind}:${limit}`;
    const lane = this.#lanes.get(key) ?? { kind, limit, waiting: new Map(), all: new Map() };
    this.#lanes.set(key, lane);
    return lane;
  }

  #ticket(lane: Lane, oid: string): Ticket {
    const known = lane.all.get(oid);
    if (known !== undefined) {
      known.waiters += 1;
      return known;
    }
    const { promise, resolve } = Promise.withResolvers<Result<GitObject>>();
    const ticket: Ticket = { oid, result: promise, settle: resolve, waiters: 1 };
    lane.all.set(oid, ticket);
    lane.waiting.set(oid, ticket);
    return ticket;
  }

  #leave(lane: Lane, ticket: Ticket): void {
    ticket.waiters -= 1;
    if (ticket.waiters > 0 || lane.all.get(ticket.oid) !== ticket) return;
    lane.all.delete(ticket.oid);
    lane.waiting.delete(ticket.oid);
    if (ticket.batch === undefined) return;
    ticket.batch.live -= 1;
    if (ticket.batch.live === 0) ticket.batch.controller.abort();
  }

  #pump(): void {
    for (const lane of this.#lanes.values()) {
      while (this.#active < PARALLEL && lane.waiting.size > 0) void this.#run(lane);
    }
  }

  async #run(lane: Lane): Promise<void> {
    const tickets = [...lane.waiting.values()].slice(0, BATCH);
    const batch = { controller: new AbortController(), live: tickets.length };
    for (const ticket of tickets) {
      lane.waiting.delete(ticket.oid);
      ticket.batch = batch;
    }
    this.#active += 1;
    const oids = tickets.map((ticket) => ticket.oid);
    const loaded = await this.#fetch({ kind: lane.kind, oids, limit: lane.limit }, batch.controller.signal);
    for (const ticket of tickets) {
      ticket.settle(loaded.get(ticket.oid) ?? fail(problem('git_protocol', undefined, { cause: 'no answer' })));
      if (lane.all.get(ticket.oid) === ticket) lane.all.delete(ticket.oid);
    }
    this.#active -= 1;
    this.#pump();
  }
}
