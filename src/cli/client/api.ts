import type { z } from 'zod';
import { CODES, type Code, fail, type Json, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { ErrorAnswer } from '../../ports/api/index.ts';
import type { MessageSocket } from '../../ports/index.ts';
import { visible } from '../output.ts';
import { readAnswer } from './read-answer.ts';
import type { Transport } from './transport.ts';

/** Why there is no answer: with the HTTP status when a server said so, and the next thing to try when it is not that of the code. */
export type Failure = {
  readonly ok: false;
  readonly problem: Problem;
  readonly status?: number;
  readonly hint?: string | undefined;
};

/** An answer of the API, or why there is none. */
export type Answered<T> = { readonly ok: true; readonly value: T } | Failure;

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request. `answer` is the schema of what comes back; what it does not know is left out, so that a newer server can say more. */
export type Call<T> = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, its parts already encoded; see `path`. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  readonly answer: z.ZodType<T>;
};

/** A client of the API. */
export type ApiClient = {
  readonly where: string;
  call<T>(call: Call<T>): Promise<Answered<T>>;
  /** Every item of a paged list, page by page. */
  all<T>(call: Omit<Call<Page<T>>, 'method'>): Promise<Answered<readonly T[]>>;
  /** The text of an answer that is no JSON, such as an export. */
  text(
    call: Pick<Call<unknown>, 'path' | 'query'>,
  ): Promise<Answered<{ readonly text: string; readonly headers: Headers }>>;
  /** An answer that is written as it comes; the signal ends it. */
  stream(
    call: Pick<Call<unknown>, 'path' | 'query'> & { readonly signal: AbortSignal },
  ): Promise<Answered<{ readonly chunks: AsyncIterable<Uint8Array>; readonly headers: Headers }>>;
  /** A socket of whole messages. */
  socket(call: Pick<Call<unknown>, 'path' | 'query'>): Promise<Answered<MessageSocket>>;
  /** The events of a stream, until it ends, breaks (then it throws) or the signal aborts; `lastId` goes on after one that was read before. */
  events(path: string, options: { readonly lastId?: string; readonly signal: AbortSignal }): AsyncIterable<StreamEvent>;
  close(): Promise<void>;
};

type Page<T> = { readonly items: readonly T[]; readonly next_cursor?: string | undefined };
export type StreamEvent = { readonly id: string; readonly data: Json };

/** Facts 8.1: bytes of an answer, and of a refusal. */
const ANSWER_BYTES = 8 * 1024 * 1024;
const REFUSAL_BYTES = 32 * 1024;
const PAGE = 100;

/** Puts a path together from literal text and encoded values. */
export function path(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.reduce(
    (text, part, i) => `${text}${part}${i < values.length ? encodeURIComponent(values[i] ?? '') : ''}`,
    '',
  );
}

/** Makes a client over a transport. */
export function createClient(transport: Transport): ApiClient {
  const send = async (request: Request): Promise<Answered<Response>> => {
    try {
      const response = await transport.fetch(request);
      if (response.status >= 300 && response.status < 400)
        return { ok: false, problem: problem('invalid_url', 'the API answered with a redirect; check its address') };
      return response.ok ? ok(response) : await refusalOf(response);
    } catch (cause) {
      return { ok: false, problem: problem('api_unavailable', `no answer from ${transport.where}`, { cause }) };
    }
  };
  const call = async <T>(one: Call<T>): Promise<Answered<T>> => {
    const response = await send(requestOf(transport.origin, one));
    if (!response.ok) return response;
    const text = await textOf(response.value, ANSWER_BYTES);
    if (!text.ok) return text;
    const answer = readAnswer(one.answer, jsonOf(text.value));
    return answer === undefined
      ? { ok: false, problem: problem('api_unavailable', 'the answer is not of this version of the API') }
      : ok(answer);
  };
  return {
    where: transport.where,
    call,
    all: async (list) => {
      const items = [];
      let cursor: string | undefined;
      do {
        const page = await call({ ...list, method: 'GET', query: { ...list.query, limit: PAGE, cursor } });
        if (!page.ok) return page;
        items.push(...page.value.items);
        cursor = page.value.next_cursor;
      } while (cursor !== undefined);
      return ok(items);
    },
    text: async (one) => {
      const response = await send(requestOf(transport.origin, { ...one, method: 'GET' }));
      if (!response.ok) return response;
      const text = await textOf(response.value, ANSWER_BYTES);
      return text.ok ? ok({ text: text.value, headers: response.value.headers }) : text;
    },
    stream: async ({ signal, ...one }) => {
      const plain = requestOf(transport.origin, { ...one, method: 'GET' });
      const response = await send(new Request(plain, { headers: { ...NAMED, Accept: 'text/plain' }, signal }));
      if (!response.ok) return response;
      return ok({ chunks: response.value.body ?? new Blob([]).stream(), headers: response.value.headers });
    },
    socket: async (one) => {
      try {
        const socket = await transport.connect(requestOf(transport.origin, { ...one, method: 'GET' }));
        return socket instanceof Response ? await refusalOf(socket) : ok(socket);
      } catch (cause) {
        return { ok: false, problem: problem('api_unavailable', `no answer from ${transport.where}`, { cause }) };
      }
    },
    events: (streamPath, options) => readEvents(transport, streamPath, options),
    close: () => transport.close(),
  };
}

const NAMED = { 'User-Agent': 'hakopod-cli' } as const;

function requestOf(
  origin: string,
  { method, path: below, query = {}, body, idempotencyKey }: Omit<Call<unknown>, 'answer'>,
): Request {
  const url = new URL(`/api/v1${below}`, origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return new Request(url, {
    method,
    headers: {
      Accept: 'application/json',
      ...NAMED,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The server's refusal in our words: its message begins with the field, which is told apart again here. */
async function refusalOf(response: Response): Promise<Answered<never>> {
  const { status } = response;
  const read = await textOf(response, REFUSAL_BYTES);
  const parsed = ErrorAnswer.safeParse(read.ok ? jsonOf(read.value) : undefined);
  if (!parsed.success)
    return { ok: false, status, problem: problem('api_unavailable', `the server answered ${status} without a reason`) };
  const { code, message, details = {} } = parsed.data.error;
  const { at, position: _, ...more } = details;
  const field = typeof at === 'string' ? at : undefined;
  const words = field !== undefined && message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
  // Whatever answered: its words can not steer the terminal.
  const text = visible(words);
  return {
    ok: false,
    status,
    problem: problem(codeOf(code), text, {
      ...(field === undefined ? {} : { at: visible(field) }),
      ...(Object.keys(more).length === 0 ? {} : { details: more }),
    }),
  };
}

export function codeOf(code: string): Code {
  if (code === 'forbidden') return 'permission_denied';
  return Object.hasOwn(CODES, code) ? (code as Code) : 'api_unavailable';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body, as far as it is allowed to go. */
async function textOf(response: Response, most: number): Promise<Result<string>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > most) return fail(problem('api_unavailable', 'the answer is longer than is read'));
      chunks.push(chunk);
    }
  } catch (cause) {
    return fail(problem('api_unavailable', 'the answer broke off', { cause }));
  }
  return ok(Buffer.concat(chunks).toString('utf8'));
}

async function* readEvents(
  transport: Transport,
  streamPath: string,
  { lastId, signal }: { readonly lastId?: string; readonly signal: AbortSignal },
): AsyncIterable<StreamEvent> {
  const url = new URL(`/api/v1${streamPath}`, transport.origin);
  const headers = { Accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }) };
  const response = await transport.fetch(new Request(url, { headers, signal }));
  if (!response.ok || response.body === null) return;
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream(), { signal })) {
    const blocks = `${rest}${text}`.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > ANSWER_BYTES) throw new Error('an event is longer than is read');
    for (const block of blocks) {
      const event = eventOf(block);
      if (event !== undefined) yield event;
    }
  }
}

/** One block of an event stream; `undefined` for comments such as heartbeats. */
function eventOf(block: string): StreamEvent | undefined {
  const lines = block.split('\n');
  const field = (name: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  const data = field('data').join('\n');
  if (data === '') return undefined;
  try {
    return { id: field('id')[0] ?? '', data: JSON.parse(data) as Json };
  } catch {
    return undefined;
  }
}
