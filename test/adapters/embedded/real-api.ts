import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { parse } from 'yaml';

/** An API server to send the same request to as another one. */
export type Api = { readonly url: string; readonly token: string; readonly ca?: Buffer };

export type Step = {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
};

/** The API server of a kubeconfig file that holds a token. */
export function apiOf(kubeconfig: string): Api {
  const config = parse(readFileSync(kubeconfig, 'utf8'));
  const { cluster } = config.clusters[0];
  const ca = cluster['certificate-authority'];
  return {
    url: cluster.server,
    token: config.users[0].user.token,
    ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
  };
}

/** Sends one request; answers the code and the parsed body. */
export function send(api: Api, step: Step): Promise<{ readonly code: number; readonly body: unknown }> {
  const payload = step.body === undefined ? undefined : JSON.stringify(step.body);
  const headers = {
    authorization: `Bearer ${api.token}`,
    'user-agent': 'oracle/1',
    ...(payload === undefined
      ? {}
      : { 'content-type': step.type ?? 'application/json', 'content-length': Buffer.byteLength(payload) }),
  };
  const make = api.url.startsWith('https') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = make(
      `${api.url}${step.path}`,
      { method: step.method, headers, ...(api.ca ? { ca: api.ca } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: response.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) : { text } });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(payload);
  });
}

const VOLATILE =
  /^(uid|resourceVersion|creationTimestamp|deletionTimestamp|clusterIP|clusterIPs|volumeName|time|message|status|deployment\.kubernetes\.io\/revision|controller-uid|batch\.kubernetes\.io\/controller-uid|continue|origin|deletionGracePeriodSeconds)$/;
/** Owned fields that follow Go types or the server's own defaulting, of no use to a client. */
const OWNED = /^(\.|f:metadata|f:status|f:podSelector|f:externalTrafficPolicy|f:deployment\.kubernetes\.io\/revision)$/;

/** What can be compared of an answer: no ids, times or addresses; of a refusal the code, the reason and the fields at fault. */
export function comparable(answer: { readonly code: number; readonly body: unknown }): unknown {
  const body = answer.body as Record<string, unknown>;
  if (body.kind !== 'Status') return { code: answer.code, body: strip(body) };
  const details = (body.details ?? {}) as { causes?: { field?: string; reason?: string }[] };
  const causes = (details.causes ?? []).map(({ field, reason }) => `${field} ${reason}`);
  return { code: answer.code, reason: body.reason, causes: [...new Set(causes)] };
}

function strip(value: unknown, key = ''): unknown {
  if (key === 'managedFields' && Array.isArray(value)) return ownManagers(value);
  if (Array.isArray(value)) return value.map((item) => strip(item));
  if (typeof value !== 'object' || value === null) return value;
  const inFields = key === 'fieldsV1' || /^[fk]:/.test(key);
  const kept = Object.entries(value)
    .filter(([name, child]) => !VOLATILE.test(name) && child !== null)
    .filter(([, child]) => !(inFields && Object.keys(child).join() === '.'))
    .filter(([name, child]) => !(inFields && OWNED.test(name) && Object.keys(child).length === 0))
    .map(([name, child]) => [name, strip(child, name)]);
  return Object.fromEntries(kept);
}

/** Without the simulated or real controllers, which write at their own time. */
function ownManagers(entries: readonly { readonly manager: string; readonly fieldsV1: object }[]): readonly object[] {
  const owners = entries.filter(({ manager }) => !manager.startsWith('kube-'));
  const name = (entry: object): string =>
    Object.entries(entry)
      .filter(([key]) => key !== 'fieldsV1' && key !== 'time')
      .sort()
      .join();
  const sorted = owners.sort((a, b) => (name(a) < name(b) ? -1 : 1));
  const stripped = sorted.map((entry) => strip(entry) as { readonly fieldsV1: object });
  return stripped.filter(({ fieldsV1 }) => Object.keys(fieldsV1).length > 0);
}
