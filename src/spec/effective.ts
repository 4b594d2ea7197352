import type { Application, SecretRef, Service } from './application.ts';

/*
 * Facts 2.4: what a service really gets. Computed when it is needed and never stored, so that the specification stays as it was written.
 */

/**
 * The plain variables of a service: those of the application when `inject_env` is set, overlaid by its own (an empty value too), without
 * what its secrets and bindings set. Sorted by name.
 */
export function effectiveEnv(application: Application, service: Service): Readonly<Record<string, string>> {
  const inherited = application.inject_env && inherits(service) ? application.env : {};
  return merge(without(inherited, service.secrets, service.bindings), service.env);
}

/**
 * The secret references of a service: those of the application, whatever `inject_env` says, without what its own variables replace,
 * overlaid by its own, without what its bindings set. Sorted by name.
 */
export function effectiveSecrets(application: Application, service: Service): Readonly<Record<string, SecretRef>> {
  const inherited = inherits(service) ? application.secrets : {};
  return merge(without(inherited, service.env, service.bindings), service.secrets);
}

/** Runner pools run code of others, so the application's environment is not theirs. */
function inherits(service: Service): boolean {
  return service.actions === undefined;
}

type Keys = Readonly<Record<string, unknown>>;

function without<T>(map: Readonly<Record<string, T>>, ...taken: readonly Keys[]): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !taken.some((keys) => Object.hasOwn(keys, key))));
}

function merge<T>(below: Readonly<Record<string, T>>, above: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const entries = Object.entries({ ...below, ...above });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
