import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, fail, LIMITS, ok, problem, type Result } from '../kernel/index.ts';
import { type Application, parseSpecJson } from '../spec/index.ts';

/** A release's `spec.spec`: canonical JSON, gzip, base64. */
export function packSpec(application: Application): string {
  return gzipSync(canonicalJson(application), { level: 9 }).toString('base64');
}

/** The application a release holds. A body that does not decode is a fault of whoever wrote it, so `invalid_spec`. */
export function unpackSpec(packed: string): Result<Application> {
  const json = unpackJson(packed);
  if (!json.ok) return json;
  const parsed = parseSpecJson(json.value);
  if (parsed.ok) return ok(parsed.application);
  return fail(parsed.problems[0] ?? problem('invalid_spec'));
}

/**
 * The application a release holds, to be shown and nothing else: it was checked when it was accepted, and checking it again is most of what an
 * answer costs. `invalid_spec` when it does not decode.
 */
export function recordedSpec(packed: string): Result<Readonly<Record<string, unknown>>> {
  const json = unpackJson(packed);
  if (!json.ok) return json;
  const { value } = json;
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isTable ? ok(value as Readonly<Record<string, unknown>>) : fail(problem('invalid_spec'));
}

function unpackJson(packed: string): Result<unknown> {
  try {
    const text = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: LIMITS.specBytes * 2 }).toString('utf8');
    return ok(JSON.parse(text));
  } catch (cause) {
    return fail(problem('invalid_spec', 'the recorded release can not be read', { cause }));
  }
}
