import { fail, ok, problem, type Result } from '../../kernel/index.ts';

/** Levels of nesting; more than any specification has, less than any stack. */
const DEPTH = 64;

/**
 * Reads a JSON body of at most `cap` bytes, counted while they stream in, as exactly one value. No body at all is `undefined`. Problems:
 * `body_limit`, `unsupported_media_type`, `invalid_request`; what the parser says would repeat the text, so it is not told.
 */
export async function readJson(request: Request, cap: number): Promise<Result<unknown>> {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > cap) return fail(tooLarge(cap));
  const bytes = await readBytes(request, cap);
  if (!bytes.ok) return bytes;
  if (bytes.value.length === 0) return ok(undefined);
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return fail(problem('unsupported_media_type'));
  const invalid = problem('invalid_request', 'must be exactly one JSON value in UTF-8', { at: 'body' });
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value);
    if (isDeep(text)) return fail(problem('invalid_request', `must not nest deeper than ${DEPTH}`, { at: 'body' }));
    return ok(JSON.parse(text) as unknown);
  } catch {
    return fail(invalid);
  }
}

async function readBytes(request: Request, cap: number): Promise<Result<Uint8Array>> {
  if (request.body === null) return ok(new Uint8Array());
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return ok(Buffer.concat(chunks, size));
      size += value.length;
      if (size > cap) {
        await reader.cancel();
        return fail(tooLarge(cap));
      }
      chunks.push(value);
    }
  } catch (cause) {
    return fail(problem('invalid_request', 'the body did not arrive', { at: 'body', cause }));
  }
}

function tooLarge(cap: number): ReturnType<typeof problem> {
  return problem('body_limit', `the body must be at most ${cap} bytes`);
}

/** Whether brackets nest too deep, before anything is built of them; one pass, whatever the text. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isString) {
      if (character === '\\') index += 1;
      else if (character === '"') isString = false;
    } else if (character === '"') isString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > DEPTH) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}
