import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Space } from './space.ts';

export type Settings = {
  /** Registry hosts base images may come from; globs. */
  readonly registries: readonly string[];
  /** Hosts that speak plain http, without the scheme. */
  readonly plainHosts: readonly string[];
  readonly ca: string | undefined;
  readonly proxy: string | undefined;
};

/** Files that stand in for everything the machine's own configuration of containers could add. */
export type SettingFiles = {
  readonly policy: string;
  readonly noCredentials: string;
  readonly certificates: string;
  readonly environment: Readonly<Record<string, string>>;
};

/**
 * Writes the settings of one build and answers the whole environment of its buildah: nothing of the worker's own. PATH is the system's
 * usual one; the proxy carries no user information and is not handed on to build steps.
 */
export async function writeSettings(space: Space, settings: Settings): Promise<SettingFiles> {
  const folder = join(space.root, 'settings');
  const certificates = join(folder, 'certificates');
  await mkdir(certificates, { recursive: true });
  const at = (name: string): string => join(folder, name);
  const write = (name: string, text: string): Promise<void> => writeFile(at(name), text, { mode: 0o600 });
  await write('policy.json', JSON.stringify(policyOf(settings.registries)));
  await write('no-credentials.json', '{}');
  await write('registries.conf', registriesOf(settings.plainHosts));
  await write('containers.conf', '[containers]\ndefault_ulimits = []\n');
  await write(
    'storage.conf',
    `[storage]\ndriver = "vfs"\ngraphroot = ${JSON.stringify(space.storage)}\nrunroot = ${JSON.stringify(space.run)}\n`,
  );
  if (settings.ca !== undefined) await writeFile(join(certificates, 'ca.crt'), settings.ca);
  const { proxy } = settings;
  return {
    policy: at('policy.json'),
    noCredentials: at('no-credentials.json'),
    certificates,
    environment: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: space.home,
      TMPDIR: space.tmp,
      XDG_RUNTIME_DIR: space.run,
      XDG_CONFIG_HOME: space.home,
      XDG_DATA_HOME: space.home,
      XDG_CACHE_HOME: space.home,
      CONTAINERS_CONF: at('containers.conf'),
      CONTAINERS_STORAGE_CONF: at('storage.conf'),
      CONTAINERS_REGISTRIES_CONF: at('registries.conf'),
      BUILDAH_ISOLATION: 'chroot',
      ...(proxy === undefined
        ? {}
        : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: settings.plainHosts.join(',') }),
    },
  };
}

/**
 * containers-policy.json(5): images come from registries alone (never from files of the machine, which `FROM dir:/...` would be), and only
 * from those the grant lists. `**` and `*` are any host; `*.example.com` is its subdomains; any other glob matches nothing here, because
 * the policy has no words for it.
 */
export function policyOf(registries: readonly string[]): object {
  const accept = [{ type: 'insecureAcceptAnything' }];
  const scopes = registries.flatMap((glob) => {
    if (glob === '**' || glob === '*') return [''];
    return /^(?:\*\.)?[^*]+$/.test(glob) ? [glob] : [];
  });
  return {
    default: [{ type: 'reject' }],
    transports: {
      docker: Object.fromEntries(scopes.map((scope) => [scope, accept])),
      // Where the build itself keeps what it pulled and made.
      'containers-storage': { '': accept },
    },
  };
}

/** containers-registries.conf(5): short names mean Docker Hub, as in specifications; plain http only where it is allowed. */
function registriesOf(plainHosts: readonly string[]): string {
  const plain = plainHosts.map((host) => `[[registry]]\nlocation = ${JSON.stringify(host)}\ninsecure = true\n`);
  return ['unqualified-search-registries = ["docker.io"]\nshort-name-mode = "permissive"\n', ...plain].join('\n');
}
