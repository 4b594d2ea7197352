import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grantIn } from '../../src/adapters/store/oauth-secret.ts';
import { type OauthForge, startOauthForge } from '../support/oauth-forge.ts';
import { must } from '../support/operations.ts';
import { startWorld, type World } from '../support/world.ts';

const SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'gitlab-42-credentials' };

let world: World;
let forge: OauthForge;
beforeAll(async () => {
  world = await startWorld();
  forge = await startOauthForge();
});
afterAll(async () => {
  await forge.close();
  await world.stop();
});

/** One command on the cluster itself, as an administrator. */
async function hakopod(args: readonly string[], input = ''): Promise<{ readonly code: number; readonly out: string }> {
  const env = { PATH: process.env.PATH ?? '', ...world.settings };
  const child = spawn(process.execPath, ['src/main.ts', ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end(input);
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  expect(out).not.toContain('canary');
  return { code, out };
}

const add = (input: string) =>
  hakopod(
    [
      'repos',
      'add',
      world.gitUrl,
      '--local',
      '--forge',
      'gitlab',
      '--repository-id',
      '42',
      '--slug',
      'acme/shop',
    ].concat(['--forge-api-url', forge.apiUrl, '--oauth-application', 'app', '--oauth-stdin']),
    input,
  );

describe('an OAuth grant of GitLab on the command line', () => {
  it('is exchanged and kept; once it has ended doctor says what to do, and another one mends it', async () => {
    const added = await add('canary-refresh-0\ncanary-application-secret\n');
    expect(added.out).toContain('repository gitlab-42: acme/shop');
    const secret = must(await world.api.get(SECRET))!;
    expect(grantIn(secret)).toMatchObject({
      refreshToken: 'canary-refresh-1',
      access: { token: 'canary-access-1' },
      apiUrl: forge.apiUrl,
    });

    // Two hours later, and somebody has revoked it.
    const past = Buffer.from('2020-01-01T00:00:00Z').toString('base64');
    const data = { ...(secret.data as object), 'renew-at': past, 'ends-at': past };
    must(await world.api.replace({ ...secret, data }));
    forge.valid.refresh = 'canary-after';
    const ended = await hakopod(['doctor']);
    expect(ended.code).toBe(1);
    expect(ended.out).toMatch(
      /^PROBLEM +repository acme\/shop: token: the OAuth grant of the repository has ended; .*`hakopod repos add`/m,
    );
    const asked = forge.asked.length;
    await hakopod(['doctor']);
    expect(forge.asked).toHaveLength(asked);

    const refused = await add('canary-refresh-0\ncanary-application-secret\n');
    expect(refused.code).toBe(2);
    expect(refused.out).toContain('oauth: the forge refused the refresh token; authorise the application again');
    expect((await add('canary-after\ncanary-application-secret\n')).code).toBe(0);
    expect((await hakopod(['doctor'])).out).not.toContain('has ended');
  }, 120_000);
});
