import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export type GitServerOptions = {
  /** Folder whose bare repositories are served, each under its own name. */
  readonly root: string;
  /** When given, every request needs these as basic authentication. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** Git configuration for every request, such as `uploadpack.allowFilter=false`. */
  readonly config?: Readonly<Record<string, string>>;
  /** False makes the server speak version 0 only, whatever the client asks for. */
  readonly protocolV2?: boolean;
};

/** What a server has done so far. */
export type GitServerStats = {
  readonly requests: number;
  /** Of them, by command of protocol version 2: where refs point, and objects. */
  readonly lsRefs: number;
  readonly fetches: number;
  readonly bytesSent: number;
  readonly connections: number;
  readonly mostConnections: number;
};

export type GitServer = {
  /** Such as `http://127.0.0.1:40123`; a repository is at `<url>/<name>`. */
  readonly url: string;
  stats(): GitServerStats;
  resetStats(): void;
  stop(): Promise<void>;
};

const CGI_HEAD_BYTES = 16 * 1024;
/** Where git is looked for: not the user's own path, so that nothing of theirs stands in for it. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin';

/**
 * Serves bare repositories over smart HTTP on a free loopback port, with real `git http-backend` as CGI: fetches of every protocol
 * version, pushes, compressed requests. For the demo, tests and benches only.
 */
export async function startGitServer(options: GitServerOptions): Promise<GitServer> {
  const children = new Set<ChildProcess>();
  const stats = { requests: 0, lsRefs: 0, fetches: 0, bytesSent: 0, connections: 0, mostConnections: 0 };
  const server = createServer((request, response) => {
    stats.requests += 1;
    request.once('data', (chunk: Buffer) => {
      const command = commandOf(chunk);
      if (command === 'ls-refs') stats.lsRefs += 1;
      if (command === 'fetch') stats.fetches += 1;
    });
    if (!isAuthorized(request, options)) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(request, response, { options, children, count: (bytes) => (stats.bytesSent += bytes) });
  });
  server.on('connection', (socket) => {
    stats.connections += 1;
    stats.mostConnections = Math.max(stats.mostConnections, stats.connections);
    socket.on('close', () => (stats.connections -= 1));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats: () => ({ ...stats }),
    resetStats: () => {
      const { connections } = stats;
      Object.assign(stats, { requests: 0, lsRefs: 0, fetches: 0, bytesSent: 0, mostConnections: connections });
    },
    stop: () => stop(server, children),
  };
}

/** Makes an empty bare repository that may be read partially and pushed to, and returns its folder. `branch` is its HEAD. */
export async function createBareRepository(
  root: string,
  name: string,
  options: { readonly objectFormat?: 'sha1' | 'sha256'; readonly branch?: string } = {},
): Promise<string> {
  const folder = join(root, name);
  const format = `--object-format=${options.objectFormat ?? 'sha1'}`;
  const branch = `--initial-branch=${options.branch ?? 'main'}`;
  await runGit(['init', '--quiet', '--bare', format, branch, folder]);
  for (const key of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant', 'http.receivepack']) {
    await runGit(['-C', folder, 'config', key, 'true']);
  }
  return folder;
}

/** Environment for git that no configuration of the machine or its user reaches. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: SEARCH_PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

async function runGit(args: readonly string[]): Promise<void> {
  const child = spawn('git', args, { env: gitEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`git ${args[0] ?? ''} ended with ${code}: ${said.slice(0, 500)}`);
}

/** The command that a request of protocol version 2 begins with, after the four digits of the line's length (gitprotocol-v2(5)). */
function commandOf(start: Buffer): string | undefined {
  return /^[0-9a-f]{4}command=([a-z-]+)/.exec(start.toString('latin1', 0, 32))?.[1];
}

function isAuthorized(request: IncomingMessage, options: GitServerOptions): boolean {
  if (options.credentials === undefined) return true;
  const { username, password } = options.credentials;
  return request.headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

type Serving = {
  readonly options: GitServerOptions;
  readonly children: Set<ChildProcess>;
  readonly count: (bytes: number) => void;
};

function serve(request: IncomingMessage, response: ServerResponse, serving: Serving): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: cgiEnvironment(request, url, serving.options),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  serving.children.add(child);
  child.once('close', () => serving.children.delete(child));
  child.once('error', () => {
    if (!response.headersSent) response.writeHead(500);
    response.end();
  });
  // A backend that does not read its whole input closes the pipe; that is its right.
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  response.once('close', () => {
    if (child.exitCode === null) child.kill();
  });
  answer(child, response, serving.count);
}

/** Reads the CGI header block, then passes the body through. */
function answer(child: ChildProcess, response: ServerResponse, count: (bytes: number) => void): void {
  let head = Buffer.alloc(0);
  const out = child.stdout;
  if (out === null) return;
  const onHead = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < CGI_HEAD_BYTES) return;
    out.off('data', onHead);
    out.pause();
    writeHead(response, head.toString('latin1', 0, Math.max(end, 0)));
    const rest = head.subarray(end + 4);
    count(rest.length);
    response.write(rest);
    out.on('data', (bytes: Buffer) => count(bytes.length));
    out.pipe(response);
  };
  out.on('data', onHead);
  out.once('end', () => {
    if (!response.headersSent) response.writeHead(500).end();
  });
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'status') status = Number.parseInt(value, 10);
    else if (colon > 0) response.setHeader(name, value);
  }
  response.writeHead(status);
  response.flushHeaders();
}

/** The variables of RFC 3875 that git-http-backend(1) reads. */
function cgiEnvironment(request: IncomingMessage, url: URL, options: GitServerOptions): Record<string, string> {
  const { headers } = request;
  const config = Object.entries(options.config ?? {});
  const protocol = headers['git-protocol'];
  return {
    ...gitEnvironment(),
    GIT_PROJECT_ROOT: options.root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodePath(url.pathname),
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    REMOTE_ADDR: '127.0.0.1',
    REMOTE_USER: 'git',
    ...(headers['content-type'] === undefined ? {} : { CONTENT_TYPE: headers['content-type'] }),
    ...(headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: headers['content-length'] }),
    ...(headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: headers['content-encoding'] }),
    ...(typeof protocol === 'string' && options.protocolV2 !== false ? { GIT_PROTOCOL: protocol } : {}),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function stop(server: Server, children: ReadonlySet<ChildProcess>): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  for (const child of children) child.kill();
  await closed;
}
