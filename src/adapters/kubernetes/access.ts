import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';

/** Where the configuration comes from: a file, its text, or (neither) the pod's service account. */
export type ConnectOptions = {
  readonly kubeconfig?: string;
  readonly kubeconfigText?: string;
  readonly context?: string;
  /** Folder prepended to the service account's paths; tests use it. */
  readonly serviceAccountRoot?: string;
};

/** A value given in place, or a file that may change while we run. */
export type Material = { readonly data: string } | { readonly file: string };

/** Everything needed to talk to one API server. */
export type Access = {
  /** Base URL without a trailing slash. */
  readonly server: string;
  readonly ca: Material | undefined;
  readonly cert: Material | undefined;
  readonly key: Material | undefined;
  readonly token: Material | undefined;
  readonly basic: string | undefined;
  readonly impersonate: string | undefined;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
};

/**
 * Reads a kubeconfig or the in-cluster configuration. `invalid_config` for anything that can not be used, among it users whose
 * credentials come from a program (`exec`) or an `auth-provider`: a server must not run what a file names.
 */
export function readAccess(options: ConnectOptions): Result<Access> {
  try {
    return options.kubeconfig === undefined && options.kubeconfigText === undefined
      ? inCluster(options.serviceAccountRoot ?? '')
      : fromKubeconfig(options);
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    return fail(problem('invalid_config', 'the kubeconfig can not be read', { cause: { code } }));
  }
}

function inCluster(root: string): Result<Access> {
  const config = new KubeConfig();
  config.loadFromCluster(root);
  // outside a pod the library builds a server of two undefined parts
  if (URL.parse(config.getCurrentCluster()?.server ?? '') === null)
    return fail(problem('invalid_config', 'no kubeconfig is configured and this is not a pod of a cluster'));
  const tokenFile = (config.getCurrentUser()?.authProvider as { config?: { tokenFile?: string } } | undefined)?.config;
  return accessOf(config, tokenFile?.tokenFile);
}

function fromKubeconfig(options: ConnectOptions): Result<Access> {
  const text = options.kubeconfigText ?? readFileSync(options.kubeconfig ?? '', 'utf8');
  const root = options.kubeconfig === undefined ? process.cwd() : dirname(resolve(options.kubeconfig));
  const config = new KubeConfig();
  config.loadFromString(text);
  config.makePathsAbsolute(root);
  if (options.context !== undefined) config.setCurrentContext(options.context);
  const user = config.getCurrentUser();
  if (config.getCurrentCluster() === null || user === null)
    return fail(problem('invalid_config', 'the kubeconfig has no usable current context'));
  if (isPresent(user.exec) || isPresent(user.authProvider))
    return fail(
      problem(
        'invalid_config',
        'the kubeconfig user has an exec or auth-provider plugin; use a token or a client certificate',
      ),
    );
  return accessOf(config, tokenFileOf(text, user.name, root));
}

/** The library does not know the standard field `tokenFile`. */
function tokenFileOf(text: string, user: string, root: string): string | undefined {
  const raw = parse(text) as { users?: readonly { name?: unknown; user?: { tokenFile?: unknown } }[] };
  const file = raw.users?.find((u) => u.name === user)?.user?.tokenFile;
  return typeof file === 'string' && file !== '' ? resolve(root, file) : undefined;
}

function accessOf(config: KubeConfig, tokenFile: string | undefined): Result<Access> {
  const cluster = config.getCurrentCluster();
  const user = config.getCurrentUser();
  if (cluster === null || user === null) return fail(problem('invalid_config', 'the kubeconfig is incomplete'));
  if (isPresent(cluster.proxyUrl))
    return fail(problem('invalid_config', 'a kubeconfig with proxy-url is not supported'));
  const server = URL.parse(cluster.server);
  if (server === null || (server.protocol !== 'https:' && server.protocol !== 'http:') || server.search !== '')
    return fail(problem('invalid_config', 'the server in the kubeconfig is not an http(s) URL'));
  return ok({
    server: server.href.replace(/\/+$/, ''),
    ca: material(cluster.caData, cluster.caFile, true),
    cert: material(user.certData, user.certFile, true),
    key: material(user.keyData, user.keyFile, true),
    token: material(tokenFile === undefined ? user.token : undefined, tokenFile, false),
    basic: isPresent(user.username)
      ? Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')
      : undefined,
    impersonate: isPresent(user.impersonateUser) ? user.impersonateUser : undefined,
    serverName: isPresent(cluster.tlsServerName) ? cluster.tlsServerName : undefined,
    insecure: cluster.skipTLSVerify === true,
  });
}

function material(data: string | undefined, file: string | undefined, base64: boolean): Material | undefined {
  if (isPresent(data)) return { data: base64 ? Buffer.from(data, 'base64').toString('utf8') : data };
  return isPresent(file) ? { file } : undefined;
}

/** The library marks absent fields with null, undefined or an empty string, whatever its types say. */
function isPresent<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null && value !== '';
}
