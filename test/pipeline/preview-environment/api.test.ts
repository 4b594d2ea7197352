import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../../src/access/index.ts';
import { previewSlug } from '../../../src/pipeline/preview-environment/index.ts';
import { codeOf, INFO, type ReleaseApi, releaseApi } from '../../support/release-api.ts';

const SLUG = previewSlug('u', 7);
const NAME = `acme.production.${SLUG}`;

let api: ReleaseApi;
beforeEach(async () => {
  api = await releaseApi();
  const preview = {
    ...{ source: 'acme.production.shop', sourceUid: 'u', repository: 'github-1', number: 7 },
    ...{ parent: 'acme.production.shop', expiresAt: new Date(api.world.now.getTime() + 60_000).toISOString() },
  };
  const spec = { id: 'a'.repeat(32), project: 'acme', environment: 'production', name: SLUG, preview };
  await api.world.applications.create({ name: NAME, spec });
});

async function deploy(
  lines: string,
  expected_revision = 0,
): Promise<Awaited<ReturnType<typeof api.operations.create>>> {
  const toml = `name = "${SLUG}"\n[services.web]\nimage = "nginx:1"\n${lines}\n`;
  const request = {
    project: 'acme',
    environment: 'production',
    toml,
    expected_revision,
    idempotency_key: `key-of-${lines}`,
  };
  return api.operations.create(LOCAL, request, INFO);
}

describe('what somebody deploys to a preview', () => {
  it('is one, too', async () => {
    for (const line of ['replicas = 2', 'size = "medium"']) {
      const refused = await deploy(line);
      expect(refused).toMatchObject({
        ok: false,
        problem: { code: 'invalid_spec', at: `services.web.${line.split(' ')[0]}` },
      });
    }
    expect(api.world.releases.items.size).toBe(0);
    expect(codeOf(await deploy('replicas = 1'))).toBe('ok');
    const id = 'a'.repeat(32);
    const scaled = { id, service: 'web', expected_revision: 1, replicas: 2, idempotency_key: 'scale-it-up' };
    await api.world.releases.updateStatus(`${NAME}.1`, ({ status }) => ({
      ...status,
      state: 'succeeded',
      resolved: { web: 'nginx@sha256:1' },
    }));
    expect(codeOf(await api.operations.scale(LOCAL, scaled, INFO))).toBe('invalid_spec');
  });

  it('is too late once its time has come, or it is on its way out', async () => {
    api.world.now = new Date(api.world.now.getTime() + 60_000);
    expect(codeOf(await deploy('replicas = 1'))).toBe('preview_expired');
    api.world.now = new Date(api.world.now.getTime() - 60_000);
    const application = api.world.applications.items.get(NAME);
    if (application !== undefined) api.world.applications.items.set(NAME, { ...application, deleting: true });
    expect(codeOf(await deploy('replicas = 1'))).toBe('preview_expired');
    expect(api.world.releases.items.size).toBe(0);
  });

  it('may read what its application has as secrets', async () => {
    const asked: string[] = [];
    Object.assign(api.world.deps.secrets, {
      missing: async ({ name }: { name: string }, names: readonly string[]) => {
        asked.push(name);
        return { ok: true, value: name === 'shop' ? [] : names };
      },
    });
    expect(codeOf(await deploy('secrets = { TOKEN = { ref = "token" } }'))).toBe('ok');
    expect(asked).toEqual([SLUG, 'shop']);
  });
});
