import type { ServerResponse } from 'node:http';
import type { Manifest } from '../../kernel/index.ts';
import type { ApiError } from './errors.ts';
import type { Machine } from './machine.ts';
import type { Printer } from './print.ts';
import type { Form } from './read.ts';
import { apiVersionOf, type ResourceInfo } from './resources.ts';
import { type Change, type Selection, selects } from './store.ts';

export type WatchRequest = {
  readonly info: ResourceInfo;
  readonly selection: Selection;
  /** Changes after this version; undefined begins with what exists. */
  readonly version: number | undefined;
  readonly form: Form;
  readonly bookmarks: boolean;
  /** A bookmark marks the end of the objects that exist. */
  readonly markInitial: boolean;
  /** Seconds until the server ends the watch; undefined never. */
  readonly timeout: number | undefined;
};

type Watcher = WatchRequest & { readonly response: ServerResponse; readonly timer: NodeJS.Timeout | undefined };

/** Bytes a slow client may be behind before its watch is cut. */
const BACKLOG = 64 * 1024 * 1024;

/** All running watches. */
export class WatchHub {
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #machine: Machine;
  readonly #printer: Printer;
  readonly #bookmarks: NodeJS.Timeout;

  constructor(machine: Machine, printer: Printer, bookmarkMs: number) {
    this.#machine = machine;
    this.#printer = printer;
    machine.store.onChange((change) => this.#spread(change));
    this.#bookmarks = setInterval(() => this.#bookmarkAll(), bookmarkMs);
    this.#bookmarks.unref();
  }

  /** Begins a watch on an open response. */
  start(request: WatchRequest, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const timer =
      request.timeout === undefined ? undefined : setTimeout(() => this.#end(watcher), request.timeout * 1000);
    const watcher: Watcher = { ...request, response, timer };
    if (request.version === undefined) this.#sendExisting(watcher);
    else for (const change of this.#machine.store.since(request.version) ?? []) this.#offer(watcher, change);
    const all = this.#watchers.get(request.info.storage) ?? new Set();
    all.add(watcher);
    this.#watchers.set(request.info.storage, all);
    response.on('close', () => this.#forget(watcher));
  }

  /** Answers a watch that can not begin the way the API server does: a stream of one ERROR event. */
  refuse(error: ApiError, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ type: 'ERROR', object: error.status })}\n`);
  }

  /** Ends all watches, cleanly or by cutting the connection. */
  closeAll(how: 'end' | 'cut'): void {
    for (const watcher of [...this.#watchers.values()].flatMap((all) => [...all])) {
      if (how === 'end') this.#end(watcher);
      else watcher.response.destroy();
    }
  }

  /** How many watches run. */
  get size(): number {
    return [...this.#watchers.values()].reduce((sum, all) => sum + all.size, 0);
  }

  stop(): void {
    clearInterval(this.#bookmarks);
    this.closeAll('cut');
  }

  #spread(change: Change): void {
    for (const watcher of this.#watchers.get(change.info.storage) ?? []) this.#offer(watcher, change);
  }

  /** A change that moves an object into or out of the selection is an addition or a deletion to this watcher. */
  #offer(watcher: Watcher, change: Change): void {
    if (change.info.storage !== watcher.info.storage) return;
    const before = change.previous !== undefined && selects(watcher.selection, change.previous);
    const after = change.type !== 'DELETED' && selects(watcher.selection, change.object);
    if (after) this.#send(watcher, before ? 'MODIFIED' : 'ADDED', change.object);
    else if (before) this.#send(watcher, 'DELETED', change.object);
  }

  #sendExisting(watcher: Watcher): void {
    for (const object of this.#machine.store.list(watcher.info, watcher.selection))
      this.#send(watcher, 'ADDED', object);
    if (watcher.markInitial) this.#bookmark(watcher, { 'k8s.io/initial-events-end': 'true' });
  }

  #send(watcher: Watcher, type: string, object: Manifest): void {
    this.#write(watcher, `{"type":"${type}","object":${this.#printer.object(watcher.info, object, watcher.form)}}\n`);
  }

  #bookmark(watcher: Watcher, annotations?: Readonly<Record<string, string>>): void {
    const metadata = {
      resourceVersion: String(this.#machine.store.version),
      ...(annotations === undefined ? {} : { annotations }),
    };
    const object = { kind: watcher.info.kind, apiVersion: apiVersionOf(watcher.info), metadata };
    this.#write(watcher, `${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
  }

  #bookmarkAll(): void {
    for (const all of this.#watchers.values()) {
      for (const watcher of all) if (watcher.bookmarks) this.#bookmark(watcher);
    }
  }

  #write(watcher: Watcher, line: string): void {
    if (watcher.response.writableLength > BACKLOG) watcher.response.destroy();
    else watcher.response.write(line);
  }

  #end(watcher: Watcher): void {
    if (watcher.bookmarks) this.#bookmark(watcher);
    this.#forget(watcher);
    watcher.response.end();
  }

  #forget(watcher: Watcher): void {
    clearTimeout(watcher.timer);
    this.#watchers.get(watcher.info.storage)?.delete(watcher);
  }
}
