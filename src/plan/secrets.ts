import { type Problem, problem } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';

/** A refusal for each missing secret, at the first field that refers to it. The name is a reference, not a value, and is shown. */
export function missingSecretProblems(application: Application, missing: readonly string[]): readonly Problem[] {
  return missing.map((name) => {
    const at = firstUse(application, name);
    return problem('missing_secrets', `the secret ${name} does not exist`, at === undefined ? {} : { at });
  });
}

function firstUse(application: Application, name: string): string | undefined {
  for (const service of Object.keys(application.services).sort()) {
    const secrets = Object.entries(application.services[service]?.secrets ?? {});
    const use = secrets.map(([key, { ref }]) => (ref === name ? key : undefined)).find((key) => key !== undefined);
    if (use !== undefined) return `services.${service}.secrets.${use}`;
  }
  return undefined;
}
