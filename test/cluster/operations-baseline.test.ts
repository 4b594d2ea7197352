import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../contracts/cluster.contract.ts';
import { HARMLESS, VIOLATIONS } from '../support/baseline-pods.ts';
import { shows } from '../support/claims.ts';
import { type ClusterUnderTest, connectReal, inNewNamespace, realKubeconfig } from '../support/kubernetes.ts';
import { podManifest } from '../support/scripted-cluster.ts';
import { until } from '../support/world.ts';

/* The API server's own Pod Security admission as the oracle of our check of a single pod. */

const kubeconfig = realKubeconfig('Pod Security baseline');
/**
 * A debug container can not be created with its pod, Windows pods need more than the one field, and today's API server looks at
 * annotations for seccomp no more, and at /proc only where it allows the pod its own users.
 */
const NOT_ASKED = /debug container|Windows|annotation .* without seccomp|unmasked/;

describe.skipIf(kubeconfig === undefined)('Pod Security baseline of a real API server', () => {
  let under: ClusterUnderTest;
  beforeAll(async () => {
    under = await inNewNamespace(connectReal(kubeconfig!));
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: under.namespace };
    const labels = { 'pod-security.kubernetes.io/enforce': 'baseline' };
    must(await under.cluster.mergePatch(ref, { metadata: { labels } }));
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', namespace: under.namespace, name: 'default' };
    await until('the service account is there', async () => must(await under.cluster.get(account)) !== undefined);
  });
  afterAll(() => under?.close());

  /** What the API server says to a pod without making it. */
  async function dryRun(overrides: { readonly metadata?: object; readonly spec?: object }) {
    const { apiVersion, kind, spec } = podManifest(overrides);
    const containers = (overrides.spec as { containers?: readonly object[] } | undefined)?.containers ?? [
      { name: 'web' },
    ];
    const pod = {
      ...{ apiVersion, kind, metadata: { name: 'web', ...overrides.metadata } },
      spec: { ...(spec as object), containers: containers.map((one) => ({ image: 'registry.test/web:1', ...one })) },
    };
    const init = (pod.spec as { initContainers?: readonly object[] }).initContainers;
    if (init !== undefined) Object.assign(pod.spec, { initContainers: [{ ...init[0], name: 'init', image: 'a:1' }] });
    const answer = await under.connection.send({
      method: 'POST',
      path: `/api/v1/namespaces/${under.namespace}/pods?dryRun=All`,
      accept: 'application/json',
      contentType: 'application/json',
      userAgent: 'hakopod-test',
      body: JSON.stringify(pod),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: answer.status, text: Buffer.concat(await answer.body.toArray()).toString('utf8') };
  }

  it.each(VIOLATIONS.filter(([, what]) => !NOT_ASKED.test(what)))(
    `${shows('openExec', 'every_control')} refuses what we find %s: %s`,
    async (_control, _what, overrides) => {
      const { status, text } = await dryRun(overrides);
      expect(status, text).toBe(403);
      expect(text).toContain('violates PodSecurity');
    },
  );

  it.each(HARMLESS)('admits what we allow: %s', async (_what, overrides) => {
    const { status, text } = await dryRun(overrides);
    expect(status, text).toBe(201);
  });
});
