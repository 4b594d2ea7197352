import { type Application, effectiveSecrets, type SecretRef, type Service } from '../spec/index.ts';

type Binding = Service['bindings'][string];

/** Key of a binding's URL in a service's values (facts 1.11); no variable of a person may begin so. */
export function bindingKey(variable: string): string {
  return `__binding_${variable}`;
}

/** Key of a secret file's content in a service's values (facts 1.11). */
export function fileKey(file: string): string {
  return `__file_${file}`;
}

/** One value a service reads from the secret store, and where the file says so. `ref` is absent for what an external provider holds. */
export type SecretSource = { readonly key: string; readonly at: string; readonly ref?: string };

function source(key: string, at: string, secret: SecretRef): SecretSource {
  return 'ref' in secret ? { key, at, ref: secret.ref } : { key, at };
}

/** The keys of everything secret a service reads, each once, in the order of the file's tables; bindings without a password too. */
export function secretSources(application: Application, name: string): readonly SecretSource[] {
  const service = application.services[name];
  if (service === undefined) return [];
  const at = `services.${name}`;
  const sorted = <T>(map: Readonly<Record<string, T>>): (readonly [string, T])[] =>
    Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...sorted(effectiveSecrets(application, service)).map(([key, ref]) => source(key, `${at}.secrets.${key}`, ref)),
    ...sorted(service.bindings).map(([key, { password }]) => {
      const place = `${at}.bindings.${key}`;
      return password === undefined
        ? { key: bindingKey(key), at: place }
        : source(bindingKey(key), `${place}.password`, password);
    }),
    ...sorted(service.files).flatMap(([key, { secret }]) =>
      secret === undefined ? [] : [source(fileKey(key), `${at}.files.${key}.secret`, secret)],
    ),
  ];
}

/** Percent-encodes everything that is not unreserved in RFC 3986, so that no value can end its part of a URL. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The connection URL of a binding: `scheme://user:password@service:port/database` with what its protocol has (facts 1.12). */
export function bindingUrl(binding: Binding, target: Pick<Service, 'port'>, password: string | undefined): string {
  const { protocol, username, database } = binding;
  const user = username === '' && password === undefined ? '' : `${escaped(username)}:${escaped(password ?? '')}@`;
  const path = database === '' ? '' : `/${escaped(database)}`;
  return `${protocol}://${user}${binding.service}:${target.port}${path}`;
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/**
 * What each service reads, by service and key, base64: variables, the URLs of bindings and the contents of secret files, from the values
 * of one snapshot by secret name. A value that is not there is left out; the rendering refuses it by its place.
 */
export function secretValues(
  application: Application,
  values: ReadonlyMap<string, string>,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return Object.fromEntries(
    Object.entries(application.services).map(([name, service]) => {
      const entries = secretSources(application, name).flatMap(({ key, ref }): (readonly [string, string])[] => {
        const variable = Object.keys(service.bindings).find((binding) => bindingKey(binding) === key);
        const binding = variable === undefined ? undefined : service.bindings[variable];
        const value = ref === undefined ? undefined : values.get(ref);
        if (binding === undefined) return value === undefined ? [] : [[key, base64(value)]];
        const target = application.services[binding.service];
        const isMissing = binding.password !== undefined && value === undefined;
        return target === undefined || isMissing ? [] : [[key, base64(bindingUrl(binding, target, value))]];
      });
      return [name, Object.fromEntries(entries)];
    }),
  );
}
