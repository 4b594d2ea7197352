import { afterEach, describe, expect, it } from 'vitest';
import type { Right } from '../../../src/adapters/kubernetes/api.ts';
import type { Cluster } from '../../../src/ports/index.ts';
import { type FakeApi, fakeApi, json, status } from '../../support/fake-api.ts';
import { clientOf } from '../../support/kubernetes.ts';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'hp-1', uid: 'u' },
};
const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'hp-1' };
// copied from a real API server 1.35
const RBAC =
  'deployments.apps "web" is forbidden: User "limited" cannot patch resource "deployments" in API group "apps"';
const QUOTA = 'pods "web" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2';

describe('a 403', () => {
  let closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing) await close();
    closing = [];
  });

  /** A server that refuses everything with these words and answers a review of a right. */
  async function refusing(
    words: string,
    review: (right: Right) => boolean | number,
  ): Promise<{ readonly cluster: Cluster; readonly api: FakeApi; readonly asked: Right[] }> {
    const asked: Right[] = [];
    const api = await fakeApi((request, response) => {
      if (request.url?.includes('selfsubjectaccessreviews') !== true)
        return json(response, 403, status(403, 'Forbidden', words));
      const { spec } = JSON.parse(request.body) as { spec: { resourceAttributes: Right } };
      asked.push(spec.resourceAttributes);
      const allowed = review(spec.resourceAttributes);
      if (typeof allowed === 'number') return json(response, allowed, status(allowed, '', 'x'));
      json(response, 201, { status: { allowed } });
    });
    const { cluster, close } = clientOf(api.url);
    closing.push(close, api.kill);
    return { cluster, api, asked };
  }

  function said(result: Awaited<ReturnType<Cluster['apply']>> | Awaited<ReturnType<Cluster['delete']>>): string {
    return result.ok ? 'ok' : `${result.problem.code}: ${result.problem.message}`;
  }

  it('of a write is a missing verb when the account says so', async () => {
    const { cluster, asked } = await refusing(RBAC, () => false);
    expect(said(await cluster.delete(REF, { uid: 'u', propagation: 'Background' }))).toBe(
      'forbidden: the role of Hakopod does not permit to delete deployments',
    );
    expect(asked).toEqual([{ verb: 'delete', group: 'apps', resource: 'deployments', namespace: 'hp-1', name: 'web' }]);
  });

  it('of a write is a policy when the account has the right, whatever the words are', async () => {
    const denied = 'admission_denied: a policy of the cluster refused the Deployment';
    for (const words of [QUOTA, RBAC, 'no']) {
      const { cluster, asked } = await refusing(words, () => true);
      expect(said(await cluster.create(DEPLOYMENT))).toBe(denied);
      expect(said(await cluster.replace(DEPLOYMENT))).toBe(denied);
      expect(said(await cluster.mergePatch(REF, {}))).toBe(denied);
      expect(asked.map(({ verb }) => verb)).toEqual(['create', 'update', 'patch']);
    }
  });

  it('of an apply may be the verb that makes what is not there', async () => {
    const { cluster, asked } = await refusing(RBAC, ({ verb }) => verb !== 'create');
    const { uid: _, ...metadata } = DEPLOYMENT.metadata;
    expect(said(await cluster.apply({ ...DEPLOYMENT, metadata }))).toBe(
      'forbidden: the role of Hakopod does not permit to create deployments',
    );
    expect(asked.map(({ verb }) => verb)).toEqual(['patch', 'create']);
    // With the uid of an object it can not make one.
    expect(said(await cluster.apply(DEPLOYMENT))).toMatch(/^admission_denied: /);
    expect(asked.map(({ verb }) => verb)).toEqual(['patch', 'create', 'patch']);
  });

  it('of a subresource is asked for as that', async () => {
    const { cluster, asked } = await refusing(RBAC, () => false);
    expect(said(await cluster.mergePatch(REF, {}, 'status'))).toBe(
      'forbidden: the role of Hakopod does not permit to patch deployments/status',
    );
    expect(asked[0]).toMatchObject({ resource: 'deployments', subresource: 'status' });
  });

  it('takes no failed question for a permission answer', async () => {
    const { cluster } = await refusing(RBAC, () => 500);
    expect(said(await cluster.create(DEPLOYMENT))).toMatch(/^cluster_unavailable/);
    const mute = await refusing(RBAC, () => 403);
    expect(said(await mute.cluster.create(DEPLOYMENT))).toMatch(/^forbidden/);
  });

  it('of a read is a missing verb, and nothing is asked', async () => {
    const { cluster, asked, api } = await refusing(QUOTA, () => true);
    const read = await cluster.get(REF);
    const listed = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
    expect([read, listed].map((one) => (one.ok ? 'ok' : one.problem.message))).toEqual([
      'the role of Hakopod does not permit to get deployments',
      'the role of Hakopod does not permit to list nodes',
    ]);
    expect([asked.length, api.requests.length]).toEqual([0, 2]);
  });

  it('that names the policy, a namespace on its way out or an uncounted budget is not asked about', async () => {
    const words = [
      ['admission webhook "w.example" denied the request: no', 'admission_denied'],
      ['pods "a" is forbidden: status unknown for quota: hakopod-budget, resources: pods', 'conflict'],
    ] as const;
    for (const [text, code] of words) {
      const { cluster, asked } = await refusing(text, () => false);
      expect(said(await cluster.create(DEPLOYMENT))).toMatch(new RegExp(`^${code}: `));
      expect(asked).toEqual([]);
    }
  });
});
