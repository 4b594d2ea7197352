import type { Application, SecretRef, Service } from './application.ts';
import { effectiveSecrets } from './effective.ts';

/**
 * The names of all application secrets a release reads, sorted, each once: of the services' variables (the application's included where
 * a service inherits them), passwords of bindings, files, and credentials of runner pools. What an external provider holds is not among
 * them.
 */
export function requiredSecrets(application: Application): readonly string[] {
  const names = Object.values(application.services).flatMap((service) => [
    ...refsOf(application, service).flatMap((secret) => ('ref' in secret ? [secret.ref] : [])),
    ...(service.actions === undefined || service.actions.credential === '' ? [] : [service.actions.credential]),
  ]);
  return [...new Set(names)].sort();
}

/** Every secret reference of one service, wherever it stands. */
function refsOf(application: Application, service: Service): readonly SecretRef[] {
  const optional = [
    ...Object.values(service.bindings).map(({ password }) => password),
    ...Object.values(service.files).map(({ secret }) => secret),
  ];
  return [
    ...Object.values(effectiveSecrets(application, service)),
    ...optional.filter((secret) => secret !== undefined),
  ];
}
