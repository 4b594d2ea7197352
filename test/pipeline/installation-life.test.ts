import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGithubAppTokens, createGithubStatusWriter } from '../../src/adapters/github/index.ts';
import { openHttpClient } from '../../src/adapters/http/index.ts';
import type { CommitSha, RefName, Result } from '../../src/kernel/index.ts';
import { ok } from '../../src/kernel/index.ts';
import { type Pace, withRenewal } from '../../src/pipeline/index.ts';
import type { CommitStatus, CredentialStore, ForgeRepository, TokenUse } from '../../src/ports/index.ts';

/** A GitHub over HTTP whose App is suspended, let in again and taken away, and what a writer of statuses makes of it. */
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
const installation = { appId: '1', installationId: '2', repositoryId: '3', privateKey: String(privateKey) };
const commit = 'a'.repeat(40) as CommitSha;
const status: CommitStatus = {
  ...{ commit, ref: 'refs/heads/main' as RefName, context: 'hakopod/deploy/acme/production/shop' },
  ...{ outcome: 'success', description: 'released revision 1' },
};

let github: Server;
/** What GitHub answers to the App now. */
let mints: number;
let statuses: number;
let answer: 201 | 403 | 404;
let now: Date;
let appTokens: ReturnType<typeof createGithubAppTokens>;
let writer: ReturnType<typeof createGithubStatusWriter>;
let write: () => Promise<Result<unknown>>;

function respond({ url = '' }: IncomingMessage): readonly [number, object] {
  if (url.endsWith('/access_tokens')) {
    mints += 1;
    if (answer !== 201) return [answer, { message: 'This installation has been suspended' }];
    return [201, { token: `ghs_${mints}`, expires_at: new Date(now.getTime() + 3_600_000).toISOString() }];
  }
  // Tokens made before stop working with the installation.
  if (answer !== 201) return [403, { message: 'This installation has been suspended' }];
  statuses += 1;
  return [201, { id: 1 }];
}

beforeEach(async () => {
  [mints, statuses, answer, now] = [0, 0, 201, new Date('2026-11-30T12:00:00Z')];
  github = createServer((req, res) => {
    req.resume();
    const [code, json] = respond(req);
    res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const options = { openHttp: openHttpClient, clock, userAgent: 'hakopod', apiUrl };
  appTokens = createGithubAppTokens(options);
  writer = createGithubStatusWriter(options);
  const credentials = {
    forRepository: async (_secret: string, use: TokenUse, refused?: string) => {
      const minted = await appTokens.mint(installation, use, refused);
      return minted.ok ? ok({ username: 'x-access-token', token: minted.value, renewable: true }) : minted;
    },
  } as unknown as CredentialStore;
  const unpaced: Pace = (repository, _kind, call) => call(repository);
  const pace = withRenewal(unpaced, credentials);
  write = async () => {
    const opened = await credentials.forRepository('git', 'report');
    if (!opened.ok) return opened;
    const repository: ForgeRepository = {
      ...{ forge: 'github', project: 'acme/shop', repositoryId: '3', renewal: { secret: 'git', use: 'report' } },
      ...(opened.value === undefined ? {} : { token: opened.value.token }),
    };
    return pace(repository, 'write', (as) => writer.write(as, status));
  };
});
afterEach(async () => {
  await Promise.all([appTokens.stop(), writer.stop()]);
  github.closeAllConnections();
  await new Promise((resolve) => github.close(resolve));
});

const wait = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
const code = (result: Result<unknown>): string => (result.ok ? 'ok' : result.problem.code);

describe('the life of an installation', () => {
  it.each([
    [403, 'installation_suspended'],
    [404, 'installation_gone'],
  ] as const)(
    'is noticed when a token stops working (%i), asks little meanwhile, and goes on by itself',
    async (closed, said) => {
      expect(code(await write())).toBe('ok');
      wait(5 * 60_000);
      answer = closed;
      const before = mints;
      // The kept token is refused, and the reason is asked for at once.
      expect(code(await write())).toBe(said);
      for (let i = 0; i < 50; i += 1) expect(code(await write())).toBe(said);
      expect(mints - before).toBe(1);
      for (let minutes = 0; minutes < 10; minutes += 1) {
        wait(60_000);
        for (let i = 0; i < 10; i += 1) await write();
      }
      expect(mints - before).toBe(11);
      answer = 201;
      wait(30_000);
      expect(code(await write())).toBe('ok');
      expect(statuses).toBe(2);
    },
  );

  it('is not asked about for each refusal: one permission that lacks makes no new token each time', async () => {
    expect(code(await write())).toBe('ok');
    const made = mints;
    github.removeAllListeners('request');
    github.on('request', (req, res) => {
      req.resume();
      if (req.url?.endsWith('/access_tokens')) mints += 1;
      const isMint = req.url?.endsWith('/access_tokens') === true;
      const json = isMint
        ? { token: `ghs_${mints}`, expires_at: new Date(now.getTime() + 3_600_000).toISOString() }
        : {};
      res.writeHead(isMint ? 201 : 403, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
    for (let i = 0; i < 20; i += 1) expect(code(await write())).toBe('forge_unauthorized');
    expect(mints - made).toBe(0);
    wait(30_000);
    for (let i = 0; i < 20; i += 1) expect(code(await write())).toBe('forge_unauthorized');
    expect(mints - made).toBe(1);
  });
});
