import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the forge is to do instead of the usual. */
export type OauthTrouble = 'redirect' | 'lost-answer' | 'echo' | '502' | '429' | 'html' | 'invalid_client';

export type OauthForge = {
  /** API base, as a repository has it. */
  readonly apiUrl: string;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly form: URLSearchParams }[];
  /** The one refresh token, and the one access token, that are valid now. */
  readonly valid: { refresh: string; access: string };
  /** One for each request, oldest first. */
  readonly trouble: OauthTrouble[];
  /** Fields of the next answers, beside or instead of the usual ones. */
  fields: Readonly<Record<string, unknown>>;
  /** Runs while a request is answered. */
  during: () => Promise<void>;
  close(): Promise<void>;
};

/**
 * A GitLab's `/oauth/token` on loopback: a refresh token is good for one use, which ends the access token before it too (OAuth 2.0 identity
 * provider API).
 */
export async function startOauthForge(options: { readonly isPublic?: boolean } = {}): Promise<OauthForge> {
  const secret = options.isPublic === true ? undefined : 'canary-application-secret';
  const asked: OauthForge['asked'] = [];
  const trouble: OauthTrouble[] = [];
  const valid = { refresh: 'canary-refresh-0', access: '' };
  let used = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    asked.push({ path: `${request.method} ${request.url}`, headers: request.headers, form });
    const answer = (status: number, body: object, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    const kind = trouble.shift();
    if (kind === 'redirect') return answer(307, {}, { location: `http://127.0.0.1:${port}/elsewhere` });
    if (kind === '502') return answer(502, {});
    if (kind === 'echo') return answer(503, { message: `of ${form}`, error: `of ${form}` });
    if (kind === '429') return answer(429, {}, { 'retry-after': '7' });
    if (kind === 'html') return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>sign in</html>');
    const isClient = form.get('client_id') === 'app' && (form.get('client_secret') ?? undefined) === secret;
    if (!isClient || kind === 'invalid_client')
      return answer(401, { error: 'invalid_client', error_description: 'Client authentication failed' });
    await forge.during();
    if (form.get('refresh_token') !== valid.refresh)
      return answer(400, { error: 'invalid_grant', error_description: `no ${form.get('refresh_token')}` });
    used += 1;
    valid.refresh = `canary-refresh-${used}`;
    valid.access = `canary-access-${used}`;
    if (kind === 'lost-answer') return response.destroy();
    return answer(200, {
      ...{ access_token: valid.access, token_type: 'Bearer', expires_in: 7200, refresh_token: valid.refresh },
      ...{ scope: 'api read_repository', created_at: 1607635748 },
      ...forge.fields,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const forge: OauthForge = {
    apiUrl: `http://127.0.0.1:${port}/api/v4`,
    ...{ asked, valid, trouble },
    fields: {},
    during: () => Promise.resolve(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return forge;
}
