import { type Problem, problem } from '../kernel/index.ts';
import { type Application, formatPath, type SecretRef, type Service } from '../spec/index.ts';

/** A place of an application that refers to a secret; `service` is absent for the application's own. */
export type SecretUse = {
  readonly service?: string;
  readonly path: readonly (string | number)[];
  readonly secret: SecretRef;
};

/** Every reference to a secret: the application's own, then by service its variables, bindings, files and pool (facts 1.11, 1.12, 1.16, 1.18). */
export function secretUses(application: Application): readonly SecretUse[] {
  const own = Object.entries(application.secrets).map(([key, secret]) => ({ path: ['secrets', key], secret }));
  const services = Object.entries(application.services).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...own, ...services.flatMap(([name, service]) => usesOf(name, service))];
}

function usesOf(name: string, service: Service): readonly SecretUse[] {
  const use = (path: readonly string[], secret: SecretRef | undefined): readonly SecretUse[] =>
    secret === undefined ? [] : [{ service: name, path: ['services', name, ...path], secret }];
  return [
    ...Object.entries(service.secrets).flatMap(([key, secret]) => use(['secrets', key], secret)),
    ...Object.entries(service.bindings).flatMap(([key, { password }]) => use(['bindings', key, 'password'], password)),
    ...Object.entries(service.files).flatMap(([key, { secret }]) => use(['files', key, 'secret'], secret)),
    ...use(['actions', 'credential'], service.actions && { ref: service.actions.credential }),
  ];
}

/** A refusal for each missing secret, at the first field that refers to it. The name is a reference, not a value, and is shown. */
export function missingSecretProblems(application: Application, missing: readonly string[]): readonly Problem[] {
  if (missing.length === 0) return [];
  const uses = secretUses(application);
  return missing.map((name) => {
    const use = uses.find(({ secret }) => 'ref' in secret && secret.ref === name);
    const at = use === undefined ? {} : { at: formatPath(use.path) };
    return problem('missing_secrets', `the secret ${name} does not exist`, at);
  });
}
