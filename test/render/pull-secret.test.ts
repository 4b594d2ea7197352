import { describe, expect, it } from 'vitest';
import { allObjects, dockerConfig, previewInput, renderApplication } from '../../src/render/index.ts';
import { inputFor, parsed } from './fixture.ts';

const SHOP = `schema_version = 1
name = "shop"
[services.web]
image = "ghcr.io/acme/web:1"
[services.open]
image = "nginx:1"
`;
const LOGIN = { server: 'ghcr.io', username: 'ada', password: 'päss "word"' };

function render(more: object = {}) {
  const base = inputFor(SHOP);
  const login = { '.dockerconfigjson': dockerConfig(LOGIN) };
  const input = { ...base, credentials: { web: 'ghcr' }, secrets: { ...base.secrets, web: login }, ...more };
  return renderApplication(input);
}

function pullSecrets(result: ReturnType<typeof render>) {
  if (!result.ok) throw new Error(result.problem.code);
  const objects = allObjects(result.value);
  const names = Object.fromEntries(
    objects
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata, spec }) => [
        metadata.name,
        (spec as { template: { spec: { imagePullSecrets: { name: string }[] } } }).template.spec.imagePullSecrets,
      ]),
  );
  return { names, secrets: objects.filter(({ type }) => type === 'kubernetes.io/dockerconfigjson') };
}

describe('the login an image is pulled with', () => {
  it('is an immutable Secret of its service, which its pods name, and no other pods', () => {
    const { names, secrets } = pullSecrets(render());
    expect(secrets).toHaveLength(1);
    const [secret] = secrets;
    expect(secret).toMatchObject({
      immutable: true,
      metadata: { name: expect.stringMatching(/^web-registry-[0-9a-f]{16}$/), labels: { 'hakopod.io/service': 'web' } },
    });
    expect(names).toEqual({ web: [{ name: secret?.metadata.name }], open: [] });
    const data = secret?.data as Record<string, string>;
    expect(JSON.parse(Buffer.from(data['.dockerconfigjson'] ?? '', 'base64').toString())).toEqual({
      auths: {
        'ghcr.io': {
          username: LOGIN.username,
          password: LOGIN.password,
          auth: Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64'),
        },
      },
    });
  });

  it('has another name for another password, and none that anybody could guess from', () => {
    const nameOf = (more: object) => pullSecrets(render(more)).secrets[0]?.metadata.name;
    const other = { '.dockerconfigjson': dockerConfig({ ...LOGIN, password: 'next' }) };
    const names = [nameOf({}), nameOf({ secrets: { web: other } }), nameOf({ snapshotKey: 'another' })];
    expect(new Set(names).size).toBe(3);
  });

  it('stands under the name by which the kubelet knows Docker Hub', () => {
    const text = Buffer.from(dockerConfig({ ...LOGIN, server: 'docker.io' }), 'base64').toString();
    expect(Object.keys(JSON.parse(text).auths)).toEqual(['https://index.docker.io/v1/']);
  });

  it('is refused by its field when its value is gone', () => {
    expect(render({ secrets: {} })).toMatchObject({
      problem: { code: 'missing_secrets', at: 'services.web.registry_credential' },
    });
  });

  it('is shown by name alone where a person looks', () => {
    const selected = parsed(SHOP.replace('web:1"', 'web:1"\nregistry_credential = "ghcr"'));
    const { names, secrets } = pullSecrets(renderApplication(previewInput(selected)));
    expect(names).toEqual({ web: [{ name: 'web-registry' }], open: [] });
    expect(secrets).toEqual([]);
  });
});
