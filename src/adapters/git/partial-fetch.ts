import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { type Filter, fetchRequest, parseFetch, type Refusal } from './commands.ts';
import type { Http } from './http.ts';
import type { FetchBatch, Kind, Loaded } from './loader.ts';
import type { GitObject, ObjectFormat } from './objects.ts';
import { readPack } from './pack.ts';
import { redact, type Target, uploadPack } from './transport.ts';

/** Room for headers, packet lengths and zlib's own bytes around the objects of a small answer. */
const SLACK_BYTES = 64 * 1024;

export type PartialOptions = {
  readonly http: Http;
  readonly target: Target;
  readonly base: URL;
  readonly format: ObjectFormat;
  readonly agent: string;
  /** Bytes of one answer. */
  readonly maxResponseBytes: number;
  /** Sees every object of every answer; `wanted` tells those asked for. */
  readonly keep: (oid: string, object: GitObject, wanted: boolean) => void;
};

type Want = { readonly kind: Kind; readonly oids: readonly string[]; readonly limit: number };
type Failure = { readonly problem: Problem } | { readonly refusal: Refusal };

/**
 * The hot path: fetches exactly the wanted objects over protocol version 2, `tree:0` first and `blob:none` for servers that refuse it.
 * A request with an object that is missing or too large is halved until the others have their answers. An object the server does not
 * have is `commit_not_found` (its commit is not, or no longer, whole there), one over its limit `object_too_large`.
 */
export function createPartialFetch(options: PartialOptions): FetchBatch {
  let filter: Filter = 'tree:0';

  async function attempt(want: Want, signal: AbortSignal): Promise<ReadonlyMap<string, GitObject> | Failure> {
    const using = filter;
    const first = await fetchOnce(options, want, { filter: using, signal });
    if (first instanceof Map || using === 'blob:none' || !mayBeFilter(first as Failure)) return first;
    const second = await fetchOnce(options, want, { filter: 'blob:none', signal });
    if (second instanceof Map) filter = 'blob:none';
    return second;
  }

  async function fetchAll(want: Want, signal: AbortSignal): Promise<Loaded> {
    const outcome = await attempt(want, signal);
    if (outcome instanceof Map) return pick(options, want, outcome);
    const failure = outcome as Failure;
    if (want.oids.length > 1 && isOfOneObject(failure) && !signal.aborted) {
      const half = want.oids.length >> 1;
      const left = await fetchAll({ ...want, oids: want.oids.slice(0, half) }, signal);
      const right = await fetchAll({ ...want, oids: want.oids.slice(half) }, signal);
      return new Map([...left, ...right]);
    }
    const failed = fail(toProblem(options.target, failure));
    return new Map(want.oids.map((oid) => [oid, failed]));
  }

  return fetchAll;
}

function pick(options: PartialOptions, want: Want, objects: ReadonlyMap<string, GitObject>): Loaded {
  const wanted = new Set(want.oids);
  for (const [oid, object] of objects) options.keep(oid, object, wanted.has(oid));
  return new Map(
    want.oids.map((oid): [string, Result<GitObject>] => {
      const object = objects.get(oid);
      if (object === undefined)
        return [oid, fail(problem('git_protocol', undefined, { cause: 'an object was not sent' }))];
      return [oid, object.data.length > want.limit ? fail(problem('object_too_large')) : ok(object)];
    }),
  );
}

async function fetchOnce(
  options: PartialOptions,
  want: Want,
  how: { readonly filter: Filter; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, GitObject> | Failure> {
  // With `tree:0` the answer holds what was asked for and nothing else, so that its size tells the objects' sizes.
  const exact = how.filter === 'tree:0' || want.kind === 'blob';
  const bound = exact ? want.limit * 1.01 * want.oids.length + SLACK_BYTES : options.maxResponseBytes;
  const maxBytes = Math.min(options.maxResponseBytes, Math.ceil(bound));
  const body = await uploadPack(
    options.http,
    { target: options.target, base: options.base },
    {
      body: fetchRequest(want.oids, { ...options, filter: how.filter, shallow: want.kind === 'commit' }),
      maxBytes,
      tooLarge: problem('object_too_large'),
      signal: how.signal,
    },
  );
  if (!body.ok) return body;
  const answer = parseFetch(body.value);
  if (!answer.ok) return answer;
  if ('refusal' in answer.value) return answer.value;
  const objects = readPack(answer.value.pack, options.format, {
    maxObjectBytes: exact ? want.limit : Math.max(want.limit, options.maxResponseBytes),
    maxTotalBytes: options.maxResponseBytes * 4,
  });
  return objects.ok ? objects.value : objects;
}

/** A server that dies of a filter may close the answer instead of explaining. */
function mayBeFilter(failure: Failure): boolean {
  return 'refusal' in failure && failure.refusal.reason !== 'missing';
}

function isOfOneObject(failure: Failure): boolean {
  return 'refusal' in failure ? failure.refusal.reason === 'missing' : failure.problem.code === 'object_too_large';
}

function toProblem(target: Target, failure: Failure): Problem {
  if ('problem' in failure) return failure.problem;
  const { reason, text } = failure.refusal;
  return problem(reason === 'missing' ? 'commit_not_found' : 'git_protocol', undefined, {
    cause: redact(target, text),
  });
}
