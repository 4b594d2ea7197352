import { fail, type Json, LIMITS, ok, problem, type Result } from '../kernel/index.ts';
import { type Fields, isFields } from './json.ts';
import { readYaml } from './yaml.ts';

const WHOLE = ['apiVersion', 'kind'];
const NAMES = ['name', 'namespace'];

/**
 * Reads the text of a patch: a YAML mapping of at most 16 KiB in the dialect of kubectl (see `readYaml` for what is refused), which
 * does not say which object it is for (spec kubernetes-patches). Errors: `invalid_patch`.
 */
export function parsePatch(text: string): Result<Fields> {
  if (Buffer.byteLength(text) > LIMITS.patchBytes) return refused(`is larger than ${LIMITS.patchBytes} bytes`);
  const read = readYaml(text);
  if (!read.ok) return read;
  const patch: Json = read.value;
  if (!isFields(patch)) return refused('is not a YAML mapping');
  const set = WHOLE.find((name) => Object.hasOwn(patch, name));
  if (set !== undefined) return refused(`can not set ${set}`);
  const metadata = patch.metadata;
  const named = isFields(metadata) ? NAMES.find((name) => Object.hasOwn(metadata, name)) : undefined;
  return named === undefined ? ok(patch) : refused(`can not set metadata.${named}`);
}

function refused(what: string): Result<never> {
  return fail(problem('invalid_patch', `the patch ${what}`));
}
