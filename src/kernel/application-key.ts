import { sha256 } from './canonical.ts';

/** What identifies an application to people: three slugs. */
export type ApplicationKey = { readonly project: string; readonly environment: string; readonly name: string };

/** `project.environment.name`: the name of an application's and its source's custom resource. Slugs have no dots, so it is unique. */
export function applicationName(key: ApplicationKey): string {
  return `${key.project}.${key.environment}.${key.name}`;
}

/** What the name of an application's, source's or release's custom resource begins with; empty where a part is missing. */
export function keyOfName(resource: string): ApplicationKey {
  const [project = '', environment = '', name = ''] = resource.split('.');
  return { project, environment, name };
}

/** `project/environment/name` for people and status contexts. */
export function displayApplication(key: ApplicationKey): string {
  return `${key.project}/${key.environment}/${key.name}`;
}

/** The name of a release's custom resource. */
export function releaseName(application: string, revision: number): string {
  return `${application}.${revision}`;
}

/** The 32 hex digits that scope an application's secrets in the control namespace (facts 6.6). */
export function secretScope(key: ApplicationKey): string {
  return sha256(displayApplication(key)).slice(0, 32);
}
