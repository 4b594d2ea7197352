import { type ApplicationKey, keyOfName, ok, type Result } from '../../kernel/index.ts';
import type { Application } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { isPreview } from './names.ts';

/** The names an application has no value for; a preview has those of the application it is a preview of as well. */
export async function missingSecrets(
  deps: Pick<Deps, 'secrets'>,
  of: { readonly key: ApplicationKey; readonly parent: string | undefined },
  names: readonly string[],
): Promise<Result<readonly string[]>> {
  const own = await deps.secrets.missing(of.key, names);
  if (!own.ok || of.parent === undefined || own.value.length === 0) return own;
  return deps.secrets.missing(keyOfName(of.parent), own.value);
}

/**
 * The values an application's release reads. A preview has what its own env files brought, and for every other name what the application it
 * is a preview of has; nobody else's. `missing_secrets` names what neither has.
 */
export async function snapshotSecrets(
  deps: Pick<Deps, 'secrets'>,
  application: Application,
  names: readonly string[],
): Promise<Result<ReadonlyMap<string, string>>> {
  const { project, environment, name } = application.spec;
  const own = { project, environment, name };
  if (names.length === 0) return ok(new Map());
  if (!isPreview(application)) return deps.secrets.snapshot(own, names);
  const absent = await deps.secrets.missing(own, names);
  if (!absent.ok) return absent;
  const inherited = new Set(absent.value);
  const brought = names.filter((each) => !inherited.has(each));
  const values = brought.length === 0 ? ok(new Map<string, string>()) : await deps.secrets.snapshot(own, brought);
  if (!values.ok || inherited.size === 0) return values;
  const parents = await deps.secrets.snapshot(keyOfName(application.spec.preview.parent), [...inherited]);
  return parents.ok ? ok(new Map([...values.value, ...parents.value])) : parents;
}
