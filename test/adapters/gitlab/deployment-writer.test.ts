import { describe, expect, it } from 'vitest';
import { createGitlabDeploymentWriter } from '../../../src/adapters/gitlab/index.ts';
import type { RefName } from '../../../src/kernel/index.ts';
import type { ForgeDeployment } from '../../../src/ports/index.ts';
import { describeDeploymentWriter } from '../../contracts/deployment-writer.contract.ts';
import { COMMIT, clock, codeOf, TOKEN } from '../../contracts/status-writer.contract.ts';
import { scriptedForge } from '../../support/scripted-forge.ts';

const repository = { forge: 'gitlab', project: 'acme/shop', repositoryId: '15', token: TOKEN } as const;
const BASE = '/projects/15';
const ENVIRONMENT = 'acme/production/shop';
const URL_OF_APP = 'https://web.apps.example.com';

function deployment(changes: Partial<ForgeDeployment> = {}): ForgeDeployment {
  return {
    commit: COMMIT,
    ref: 'refs/heads/main' as RefName,
    environment: ENVIRONMENT,
    outcome: 'success',
    description: 'released revision 3',
    url: URL_OF_APP,
    ...changes,
  };
}

type There = {
  readonly deployments?: readonly object[];
  readonly environments?: readonly object[];
  /** The answer to a change of state. */
  readonly put?: { readonly status: number; readonly json?: object };
};

function gitlab({ deployments = [], environments = [], put = { status: 200 } }: There = {}) {
  const forge = scriptedForge('https://gitlab.com/api/v4', ({ method, path }) => {
    if (method === 'GET' && path.startsWith(`${BASE}/deployments?`)) return { status: 200, json: deployments };
    if (method === 'GET' && path.startsWith(`${BASE}/environments?`)) return { status: 200, json: environments };
    if (method === 'POST' && path === `${BASE}/deployments`) return { status: 201, json: { id: 42 } };
    if (method === 'PUT' && path.startsWith(`${BASE}/environments/`)) return { status: 200 };
    return method === 'PUT' && path.startsWith(`${BASE}/deployments/`) ? put : undefined;
  });
  const writer = createGitlabDeploymentWriter({ openHttp: forge.openHttp, clock, userAgent: 'hakopod/1' });
  const writes = () => forge.asked.filter(({ method }) => method !== 'GET');
  return { writer, asked: forge.asked, writes };
}

describe('GitLab deployments', () => {
  it('are made in the documented form, and the environment gets the URL of the application', async () => {
    const { writer, writes } = gitlab({ environments: [{ id: 3, name: ENVIRONMENT, external_url: null }] });
    expect(await writer.write(repository, deployment())).toEqual({ ok: true, value: '42' });
    expect(writes()).toEqual([
      {
        method: 'POST',
        path: `${BASE}/deployments`,
        body: { environment: ENVIRONMENT, sha: COMMIT, ref: 'main', tag: false, status: 'success' },
      },
      { method: 'PUT', path: `${BASE}/environments/3`, body: { external_url: URL_OF_APP } },
    ]);
  });

  it('of a tag say so', async () => {
    const { writer, writes } = gitlab();
    await writer.write(repository, deployment({ ref: 'refs/tags/v1' as RefName }));
    expect(writes()[0]?.body).toMatchObject({ ref: 'v1', tag: true });
  });

  it.each([
    ['pending', 'running'],
    ['success', 'success'],
    ['failure', 'failed'],
    ['superseded', 'canceled'],
    ['cancelled', 'canceled'],
    ['lost', 'failed'],
  ] as const)('are %s as %s', async (outcome, status) => {
    const { writer, writes } = gitlab();
    await writer.write(repository, deployment({ outcome, known: '9' }));
    expect(writes()).toEqual([{ method: 'PUT', path: `${BASE}/deployments/9`, body: { status } }]);
  });

  it('are found by their commit after an answer that was lost', async () => {
    const others = [
      { id: 8, sha: 'f'.repeat(40) },
      { id: 7, sha: COMMIT },
    ];
    const { writer, writes } = gitlab({ deployments: others });
    expect(await writer.write(repository, deployment())).toEqual({ ok: true, value: '7' });
    expect(writes()[0]?.path).toBe(`${BASE}/deployments/7`);
  });

  it('are done when they are so already, and begun anew when they have ended', async () => {
    const words = (from: string): NonNullable<There['put']> => ({
      status: 400,
      json: { message: `Cannot transition status via :run from :${from}` },
    });
    const running = deployment({ outcome: 'pending', known: '9' });
    const same = gitlab({ put: words('running') });
    expect(await same.writer.write(repository, running)).toEqual({ ok: true, value: '9' });
    const ended = gitlab({ put: words('failed') });
    expect(await ended.writer.write(repository, running)).toEqual({ ok: true, value: '42' });
    const refused = gitlab({ put: { status: 400, json: { message: 'status is invalid' } } });
    expect(codeOf(await refused.writer.write(repository, running))).toBe('forge_rejected');
  });

  it.each([
    ['it is there', [{ id: 3, name: ENVIRONMENT, external_url: URL_OF_APP }], {}],
    ['the environment is not', [{ id: 3, name: `${ENVIRONMENT}2` }], {}],
    ['it is too long', [{ id: 3, name: ENVIRONMENT }], { url: `https://${'x'.repeat(255)}.example.com` }],
    ['the release failed', [{ id: 3, name: ENVIRONMENT }], { outcome: 'failure' }],
  ] as const)('leave the URL alone when %s', async (_why, environments, changes) => {
    const { writer, writes } = gitlab({ environments });
    await writer.write(repository, deployment(changes));
    expect(writes()).toHaveLength(1);
  });

  it.each([
    [403, 'forge_unauthorized'],
    [404, 'forge_not_found'],
    [429, 'forge_rate_limited'],
    [500, 'forge_unavailable'],
  ])('end when the forge answers %s', async (status, code) => {
    const { writer } = gitlab({ put: { status } });
    expect(codeOf(await writer.write(repository, deployment({ known: '9' })))).toBe(code);
  });
});

describe('GitLab deployments at the recorder', () => {
  describeDeploymentWriter({
    forge: 'gitlab',
    create: createGitlabDeploymentWriter,
    apiUrl: (recorder) => recorder.gitlabApiUrl,
    states: {
      pending: 'running',
      success: 'success',
      failure: 'failed',
      superseded: 'canceled',
      cancelled: 'canceled',
      lost: 'failed',
    },
  });
});
