/** One status a forge keeps, in the forge's own words. */
export type RecordedStatus = {
  readonly forge: 'github' | 'gitlab';
  /** `owner/name`, or for GitLab the id or path the caller used. */
  readonly project: string;
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string | undefined;
  readonly targetUrl: string | undefined;
  readonly at: string;
};

/** A request as the two APIs see it: path segments are decoded, the body is parsed. */
export type ApiRequest = {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** `undefined` when the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
};

export type ApiAnswer = {
  readonly status: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** A pipeline of GitLab's. */
export type RecordedPipeline = {
  readonly id: number;
  readonly project: string;
  readonly commit: string;
  readonly ref: string;
};

type Entry = RecordedStatus & { readonly id: number; readonly ref: string };

/** What both forges remember: every write, oldest first. A GitLab update replaces its entry in `current` and is a new write. */
export class ForgeLedger {
  readonly #writes: RecordedStatus[] = [];
  readonly #current: Entry[] = [];
  readonly #pipelines: RecordedPipeline[] = [];
  readonly #onStatus: (status: RecordedStatus) => void;

  constructor(onStatus: (status: RecordedStatus) => void) {
    this.#onStatus = onStatus;
  }

  writes(): readonly RecordedStatus[] {
    return [...this.#writes];
  }

  find(match: Partial<Entry>): readonly Entry[] {
    const wanted = Object.entries(match);
    return this.#current.filter((entry) => wanted.every(([key, value]) => entry[key as keyof Entry] === value));
  }

  /** GitLab's pipelines of a commit, newest first. */
  pipelines(project: string, commit: string): readonly RecordedPipeline[] {
    return this.#pipelines.filter((one) => one.project === project && one.commit === commit).reverse();
  }

  addPipeline(pipeline: Omit<RecordedPipeline, 'id'>): RecordedPipeline {
    const added = { ...pipeline, id: this.#pipelines.length + 1 };
    this.#pipelines.push(added);
    return added;
  }

  /** Records a write; with `replaces`, the entry of that id changes instead of a new one being added. */
  record(status: Omit<RecordedStatus, 'at'>, ref: string, replaces?: number): Entry {
    const written: RecordedStatus = { ...status, at: new Date().toISOString() };
    const entry: Entry = { ...written, ref, id: replaces ?? this.#current.length + 1 };
    if (replaces === undefined) this.#current.push(entry);
    else this.#current[replaces - 1] = entry;
    this.#writes.push(written);
    this.#onStatus(written);
    return entry;
  }
}

/** True for a full object id. */
export function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** A page of a list, by `page` and `per_page` (at most 100). */
export function pageOf<T>(items: readonly T[], query: URLSearchParams, standard: number): readonly T[] {
  const size = Math.min(Number(query.get('per_page') ?? standard) || standard, 100);
  const page = Math.max(Number(query.get('page') ?? 1) || 1, 1);
  return items.slice((page - 1) * size, page * size);
}
