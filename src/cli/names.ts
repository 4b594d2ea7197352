import { type ApplicationKey, applicationName, fail, NAME, ok, problem, type Result } from '../kernel/index.ts';
import type { GitSource, Store } from '../ports/index.ts';

/** `project/environment/name` as typed by a person. */
export function parseApplication(text: string): Result<ApplicationKey> {
  const parts = text.split('/');
  const [project = '', environment = '', name = ''] = parts;
  const isValid = parts.length === 3 && parts.every((part) => NAME.test(part));
  return isValid
    ? ok({ project, environment, name })
    : fail(problem('invalid_request', 'give the application as PROJECT/ENVIRONMENT/NAME'));
}

/** The source a person means: by full application name, or by the application's name alone where only one has it. */
export function findSource(store: Store, text: string): Result<GitSource> {
  const full = parseApplication(text);
  if (full.ok) {
    const source = store.sources.cached(applicationName(full.value));
    return source === undefined ? fail(problem('not_found', 'there is no source for this application')) : ok(source);
  }
  const matches = store.sources.all().filter((source) => source.spec.application.name === text);
  const [only] = matches;
  if (only === undefined) return fail(problem('not_found', 'there is no source for this application'));
  return matches.length === 1
    ? ok(only)
    : fail(problem('invalid_request', 'several applications have this name; give PROJECT/ENVIRONMENT/NAME'));
}
