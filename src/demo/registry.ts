import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request the registry saw. */
export type RegistryRequest = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
};

export type DemoImage = {
  /** `os/architecture` of each variant; `linux/amd64` and `linux/arm64` by default. */
  readonly platforms?: readonly string[];
  /** A single manifest instead of an index; only the first platform is used. */
  readonly single?: boolean;
};

export type RegistryLogin = {
  readonly scheme: 'basic' | 'bearer';
  readonly username: string;
  readonly password: string;
};

/** A running registry. */
export interface DemoRegistry {
  /** `127.0.0.1:PORT`, as it stands in an image reference. */
  readonly host: string;
  /** Adds or moves a tag and answers the digest it now points to. */
  addImage(repository: string, tag: string, image?: DemoImage): string;
  /** Everything asked so far. */
  requests(): readonly RegistryRequest[];
  /** From now on a login is needed; with `bearer`, anonymous tokens open nothing. */
  requireLogin(login: RegistryLogin): void;
  /** Answers the next requests itself where the handler returns true. */
  intercept(handler: (request: IncomingMessage, response: ServerResponse) => boolean): void;
  stop(): Promise<void>;
}

type Document = { readonly type: string; readonly body: string };

const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const TOKEN = 'demo-registry-token';

/** Starts a read-only registry in memory on loopback that speaks the part of the distribution API a resolver needs. */
export async function startDemoRegistry(): Promise<DemoRegistry> {
  const documents = new Map<string, Document>();
  const seen: RegistryRequest[] = [];
  let login: RegistryLogin | undefined;
  let handler: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://registry');
    seen.push({ method: request.method ?? '', path: pathname, authorization: request.headers.authorization });
    if (handler(request, response)) return;
    if (pathname === '/token' && login !== undefined) return giveToken(request, response, login);
    if (login !== undefined && !isLoggedIn(request, login)) return challenge(request, response, login);
    answer(request, response, documents.get(pathname));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  function store(repository: string, folder: 'manifests' | 'blobs', document: Document): string {
    const digest = digestOf(document.body);
    documents.set(`/v2/${repository}/${folder}/${digest}`, document);
    return digest;
  }
  function storeManifest(repository: string, seed: string, platform: string): Document {
    const [os = '', architecture = ''] = platform.split('/');
    const config = { type: CONFIG, body: JSON.stringify({ os, architecture, config: { Labels: { seed } } }) };
    const body = JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, digest: store(repository, 'blobs', config), size: config.body.length },
      layers: [],
    });
    return { type: MANIFEST, body };
  }
  function storeIndex(repository: string, seed: string, platforms: readonly string[]): Document {
    const manifests = platforms.map((platform) => {
      const document = storeManifest(repository, seed, platform);
      const [os, architecture] = platform.split('/');
      const digest = store(repository, 'manifests', document);
      return { mediaType: MANIFEST, digest, size: document.body.length, platform: { os, architecture } };
    });
    return { type: INDEX, body: JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests }) };
  }

  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    addImage(repository, tag, image = {}) {
      const platforms = image.platforms ?? ['linux/amd64', 'linux/arm64'];
      const seed = `${repository}:${tag}`;
      const document =
        image.single === true
          ? storeManifest(repository, seed, platforms[0] ?? '')
          : storeIndex(repository, seed, platforms);
      documents.set(`/v2/${repository}/manifests/${tag}`, document);
      return store(repository, 'manifests', document);
    },
    requests: () => [...seen],
    requireLogin(required) {
      login = required;
    },
    intercept(replacement) {
      handler = replacement;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function digestOf(body: string): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

function answer(request: IncomingMessage, response: ServerResponse, document: Document | undefined): void {
  // A registry sends an index only to who can read one.
  const accepted = request.headers.accept ?? '*/*';
  const readable = document?.type !== INDEX || [INDEX, '*/*'].some((type) => accepted.includes(type));
  if (document === undefined || !readable) {
    refuse(response, 404, 'MANIFEST_UNKNOWN');
    return;
  }
  const headers = { 'content-type': document.type, 'docker-content-digest': digestOf(document.body) };
  response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : document.body);
}

function basicOf(login: RegistryLogin): string {
  return `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
}

function isLoggedIn(request: IncomingMessage, login: RegistryLogin): boolean {
  return request.headers.authorization === (login.scheme === 'basic' ? basicOf(login) : `Bearer ${TOKEN}`);
}

function challenge(request: IncomingMessage, response: ServerResponse, login: RegistryLogin): void {
  const realm = `http://${request.headers.host}/token`;
  const words = login.scheme === 'basic' ? 'Basic realm="registry"' : `Bearer realm="${realm}",service="demo registry"`;
  refuse(response.setHeader('www-authenticate', words), 401, 'UNAUTHORIZED');
}

function giveToken(request: IncomingMessage, response: ServerResponse, login: RegistryLogin): void {
  const token = request.headers.authorization === basicOf(login) ? TOKEN : 'anonymous';
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ errors: [{ code }] }));
}
