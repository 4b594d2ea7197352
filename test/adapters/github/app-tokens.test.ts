import { generateKeyPairSync, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGithubAppTokens } from '../../../src/adapters/github/index.ts';
import type { Result } from '../../../src/kernel/index.ts';
import type { AppCredentials, HttpOutcome, HttpRequest } from '../../../src/ports/index.ts';
import { complaintsAgainst } from '../../support/github-rest.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const privateKey = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const app: AppCredentials = { appId: '1234', installationId: '5678', privateKey, repositoryId: '42' };
const MINUTE_MS = 60_000;

let now: Date;
let asked: HttpRequest[];
let answers: { status: number; json: unknown }[];
let tokens: ReturnType<typeof createGithubAppTokens>;

beforeEach(() => {
  now = new Date('2026-11-30T12:00:00Z');
  asked = [];
  answers = [];
  tokens = createGithubAppTokens({
    openHttp: () => ({
      send: async (request): Promise<HttpOutcome> => {
        asked.push(request);
        const number = asked.length;
        const hour = new Date(now.getTime() + 60 * MINUTE_MS).toISOString();
        const { status, json } = answers.shift() ?? {
          status: 201,
          json: { token: `ghs_${number}`, expires_at: hour },
        };
        const headers = { 'content-type': 'application/json' };
        return { ok: true, response: { status, headers, body: Buffer.from(JSON.stringify(json)) } };
      },
      close: () => Promise.resolve(),
    }),
    clock: { now: () => now, sleep: () => Promise.resolve() },
    userAgent: 'hakopod',
  });
});

const bodies = () => asked.map(({ body }) => JSON.parse(body ?? ''));
const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.problem.code);

describe('tokens of a GitHub App', () => {
  it('are asked for as the App itself, for one repository and the least that the use needs', async () => {
    expect(await tokens.mint(app, 'read')).toEqual({ ok: true, value: 'ghs_1' });
    expect(await tokens.mint(app, 'hooks')).toEqual({ ok: true, value: 'ghs_2' });
    expect(bodies()).toEqual([
      { repository_ids: [42], permissions: { contents: 'read' } },
      { repository_ids: [42], permissions: { repository_hooks: 'write' } },
    ]);
    const { url, headers, method } = asked[0]!;
    expect(url).toBe('https://api.github.com/app/installations/5678/access_tokens');
    const segments = new URL(url).pathname.slice(1).split('/');
    for (const body of bodies())
      expect(complaintsAgainst({ method, segments, query: new URLSearchParams(), body })).toEqual([]);
    const [head = '', claims = '', signature = ''] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const seconds = now.getTime() / 1000;
    expect(read(claims)).toEqual({ iat: seconds - 60, exp: seconds + 540, iss: '1234' });
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${head}.${claims}`),
      pair.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    expect(isSigned).toBe(true);
  });

  it('are used again until shortly before their end, for the same repository and use only', async () => {
    await tokens.mint(app, 'read');
    now = new Date(now.getTime() + 50 * MINUTE_MS - 1);
    expect(await tokens.mint(app, 'read')).toMatchObject({ value: 'ghs_1' });
    expect(await tokens.mint({ ...app, repositoryId: '43' }, 'read')).toMatchObject({ value: 'ghs_2' });
    now = new Date(now.getTime() + 1);
    expect(await tokens.mint(app, 'read')).toMatchObject({ value: 'ghs_3' });
  });

  it('ask for less when the App was not given everything, and say when that is too little', async () => {
    const refused = {
      status: 422,
      json: { message: 'The permissions requested are not granted to this installation.' },
    };
    answers = [refused];
    expect(await tokens.mint(app, 'report')).toMatchObject({ ok: true });
    expect(bodies()[1].permissions).toEqual({ statuses: 'write', pull_requests: 'write', contents: 'read' });
    answers = [refused];
    expect(await tokens.mint(app, 'hooks')).toMatchObject({
      problem: { code: 'forge_unauthorized', message: 'the GitHub App was not given the permission this needs' },
    });
  });

  it('tell a repository that the installation does not include from a permission it was not given', async () => {
    answers = Array.from({ length: 4 }, () => ({ status: 422, json: { message: 'words of GitHub' } }));
    expect(codeOf(await tokens.mint(app, 'report'))).toBe('installation_repository');
    // The last question needs nothing but the repository.
    expect(bodies().at(-1)).toEqual({ repository_ids: [42], permissions: { metadata: 'read' } });
    for (const body of bodies()) {
      const segments = new URL(asked[0]!.url).pathname.slice(1).split('/');
      expect(complaintsAgainst({ method: 'POST', segments, query: new URLSearchParams(), body })).toEqual([]);
    }
    expect(codeOf(await tokens.mint({ ...app, repositoryId: '43' }, 'report'))).toBe('ok');
  });

  it.each([
    [401, 'forge_unauthorized', 'GitHub does not know the App'],
    [403, 'installation_suspended', 'suspended'],
    [404, 'installation_gone', 'not installed any more'],
  ])('are refused when GitHub answers %i: %s', async (status, code, words) => {
    answers = [{ status, json: { message: 'words of GitHub' } }];
    const refused = await tokens.mint(app, 'read');
    expect(refused).toMatchObject({ problem: { code, kind: 'rejected', message: expect.stringContaining(words) } });
    expect(JSON.stringify(refused)).not.toContain('PRIVATE KEY');
  });

  it.each([
    [403, 'installation_suspended'],
    [404, 'installation_gone'],
  ])('are not asked for again and again: a %i holds for the installation, and half a minute', async (status, code) => {
    answers = [{ status, json: {} }];
    for (const use of ['read', 'report', 'hooks'] as const)
      for (const repositoryId of ['42', '43', '44'])
        expect(codeOf(await tokens.mint({ ...app, repositoryId }, use))).toBe(code);
    expect(asked).toHaveLength(1);
    // Another installation, and another key, are not meant.
    expect(codeOf(await tokens.mint({ ...app, installationId: '9' }, 'read'))).toBe('ok');
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const renewed = other.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(codeOf(await tokens.mint({ ...app, privateKey: renewed }, 'read'))).toBe('ok');
    now = new Date(now.getTime() + 29_999);
    expect(codeOf(await tokens.mint(app, 'read'))).toBe(code);
    now = new Date(now.getTime() + 1);
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('ok');
  });

  it('that were made before a suspension do not hide it: they go with it', async () => {
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('ok');
    answers = [{ status: 403, json: {} }];
    expect(codeOf(await tokens.mint(app, 'report'))).toBe('installation_suspended');
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('installation_suspended');
  });

  it('are made anew when one was refused somewhere, but for one that is new', async () => {
    expect(await tokens.mint(app, 'read')).toMatchObject({ value: 'ghs_1' });
    now = new Date(now.getTime() + 29_999);
    expect(await tokens.mint(app, 'read', 'ghs_1')).toMatchObject({ value: 'ghs_1' });
    now = new Date(now.getTime() + 1);
    expect(await tokens.mint(app, 'read', 'ghs_0')).toMatchObject({ value: 'ghs_1' });
    answers = [{ status: 403, json: {} }];
    expect(codeOf(await tokens.mint(app, 'read', 'ghs_1'))).toBe('installation_suspended');
    now = new Date(now.getTime() + 30_000);
    expect(await tokens.mint(app, 'read')).toMatchObject({ value: 'ghs_1' });
  });

  it.each([500, 502, 429])('are asked for again at once when GitHub answers %i', async (status) => {
    answers = [{ status, json: {} }];
    expect(codeOf(await tokens.mint(app, 'read'))).toMatch(/^forge_(unavailable|rate_limited)$/);
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('ok');
  });

  it('are not taken when they end at once', async () => {
    const at = (ms: number) => ({ token: 'ghs_x', expires_at: new Date(now.getTime() + ms).toISOString() });
    answers = [{ status: 201, json: at(10_000) }];
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('forge_unavailable');
    answers = [{ status: 201, json: at(10_001) }];
    expect(codeOf(await tokens.mint(app, 'read'))).toBe('ok');
  });

  it('need an RSA key of at least 2048 bits, and nothing of another is sent', async () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    const curve = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    for (const key of [small, curve, 'no key'])
      expect(codeOf(await tokens.mint({ ...app, privateKey: String(key) }, 'read'))).toBe('invalid_secret');
    expect(asked).toEqual([]);
    const pkcs8 = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(codeOf(await tokens.mint({ ...app, privateKey: pkcs8 }, 'read'))).toBe('ok');
  });
});
