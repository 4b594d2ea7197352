import { gunzipSync, gzipSync } from 'node:zlib';
import { canonicalJson, fail, LIMITS, ok, problem, type Result } from '../kernel/index.ts';
import { type Application, parseSpecJson } from '../spec/index.ts';

/** A release's `spec.spec`: canonical JSON, gzip, base64. */
export function packSpec(application: Application): string {
  return gzipSync(canonicalJson(application), { level: 9 }).toString('base64');
}

/** The application a release holds. A body that does not decode is a fault of whoever wrote it, so `invalid_spec`. */
export function unpackSpec(packed: string): Result<Application> {
  let json: unknown;
  try {
    json = JSON.parse(
      gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: LIMITS.specBytes * 2 }).toString('utf8'),
    );
  } catch (cause) {
    return fail(problem('invalid_spec', 'the recorded release can not be read', { cause }));
  }
  const parsed = parseSpecJson(json);
  if (parsed.ok) return ok(parsed.application);
  return fail(parsed.problems[0] ?? problem('invalid_spec'));
}
