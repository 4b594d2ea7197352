import { describe, expect, it } from 'vitest';
import { createGithubDeploymentWriter } from '../../../src/adapters/github/index.ts';
import type { RefName } from '../../../src/kernel/index.ts';
import type { CommitOutcome, ForgeDeployment } from '../../../src/ports/index.ts';
import { describeDeploymentWriter } from '../../contracts/deployment-writer.contract.ts';
import { COMMIT, clock, codeOf, TOKEN } from '../../contracts/status-writer.contract.ts';
import { complaintsAgainst } from '../../support/github-rest.ts';
import { type Asked, scriptedForge } from '../../support/scripted-forge.ts';

const repository = { forge: 'github', project: 'acme/shop', repositoryId: '15', token: TOKEN } as const;
const DEPLOYMENTS = '/repos/acme/shop/deployments';

function deployment(changes: Partial<ForgeDeployment> = {}): ForgeDeployment {
  return {
    commit: COMMIT,
    ref: 'refs/heads/main' as RefName,
    environment: 'acme/production/shop',
    outcome: 'success',
    description: 'released revision 3',
    url: 'https://web.apps.example.com',
    logUrl: 'https://hakopod.example.com',
    ...changes,
  };
}

/** GitHub with these deployments of the commit, held against its published description. */
function github(there: readonly number[], refusal?: { readonly of: string; readonly status: number }) {
  const forge = scriptedForge('https://api.github.com', (asked) => {
    const { method, path } = asked;
    if (refusal !== undefined && `${method} ${path}`.startsWith(refusal.of)) return { status: refusal.status };
    if (method === 'GET') return { status: 200, json: there.map((id) => ({ id })) };
    if (path === DEPLOYMENTS) return { status: 201, json: { id: 42 } };
    return path.startsWith(`${DEPLOYMENTS}/`) ? { status: 201, json: { id: 1 } } : undefined;
  });
  const writer = createGithubDeploymentWriter({ openHttp: forge.openHttp, clock, userAgent: 'hakopod/1' });
  return { writer, asked: forge.asked };
}

function complaints(asked: readonly Asked[]): readonly string[] {
  return asked.flatMap(({ method, path, body }) => {
    const url = new URL(path, 'http://forge');
    const segments = url.pathname.slice(1).split('/').map(decodeURIComponent);
    return complaintsAgainst({ method, segments, query: url.searchParams, body });
  });
}

describe('GitHub deployments', () => {
  it('are made once they are looked for, without checks and merges, and show the URL', async () => {
    const { writer, asked } = github([]);
    expect(await writer.write(repository, deployment())).toEqual({ ok: true, value: '42' });
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST']);
    expect(Object.fromEntries(new URL(asked[0]?.path ?? '', 'http://forge').searchParams)).toMatchObject({
      sha: COMMIT,
      environment: 'acme/production/shop',
    });
    expect(asked[1]?.body).toMatchObject({
      ref: COMMIT,
      auto_merge: false,
      required_contexts: [],
      environment: 'acme/production/shop',
    });
    expect(asked[2]).toMatchObject({
      path: `${DEPLOYMENTS}/42/statuses`,
      body: {
        state: 'success',
        environment_url: 'https://web.apps.example.com',
        log_url: 'https://hakopod.example.com',
      },
    });
    expect(complaints(asked)).toEqual([]);
  });

  it('are found again after an answer that was lost, and known ones are not looked for', async () => {
    const found = github([7]);
    expect(await found.writer.write(repository, deployment())).toEqual({ ok: true, value: '7' });
    expect(found.asked.map(({ method }) => method)).toEqual(['GET', 'POST']);
    const known = github([7]);
    expect(await known.writer.write(repository, deployment({ known: '9' }))).toEqual({ ok: true, value: '9' });
    expect(known.asked.map(({ path }) => path)).toEqual([`${DEPLOYMENTS}/9/statuses`]);
    const odd = github([7]);
    expect(await odd.writer.write(repository, deployment({ known: '../9' }))).toEqual({ ok: true, value: '7' });
  });

  it.each([
    ['pending', 'in_progress'],
    ['success', 'success'],
    ['failure', 'failure'],
    ['superseded', 'inactive'],
    ['cancelled', 'inactive'],
    ['lost', 'error'],
  ] as const)('are %s as %s, with the URL only when it is there', async (outcome: CommitOutcome, state) => {
    const { writer, asked } = github([]);
    await writer.write(repository, deployment({ outcome, description: '🚀'.repeat(150) }));
    expect(asked.at(-1)?.body?.state).toBe(state);
    expect(asked.at(-1)?.body?.environment_url === undefined).toBe(outcome !== 'success');
    for (const { body } of asked.slice(1)) expect([...String(body?.description)]).toHaveLength(140);
    expect(complaints(asked)).toEqual([]);
  });

  it.each([
    ['GET', 403, 'forge_unauthorized'],
    [`POST ${DEPLOYMENTS}`, 409, 'forge_rejected'],
    [`POST ${DEPLOYMENTS}/42`, 422, 'forge_rejected'],
    [`POST ${DEPLOYMENTS}`, 429, 'forge_rate_limited'],
    [`POST ${DEPLOYMENTS}`, 502, 'forge_unavailable'],
  ])('end when %s answers %s', async (of, status, code) => {
    const { writer } = github([], { of, status });
    expect(codeOf(await writer.write(repository, deployment()))).toBe(code);
  });
});

describe('GitHub deployments at the recorder', () => {
  describeDeploymentWriter({
    forge: 'github',
    create: createGithubDeploymentWriter,
    apiUrl: (recorder) => recorder.githubApiUrl,
    states: {
      pending: 'in_progress',
      success: 'success',
      failure: 'failure',
      superseded: 'inactive',
      cancelled: 'inactive',
      lost: 'error',
    },
  });
});
