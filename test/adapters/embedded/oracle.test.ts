import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import { customSteps, definition } from './oracle-custom-steps.ts';
import { steps } from './oracle-steps.ts';
import { type Api, apiOf, comparable, type Step, send } from './real-api.ts';

const GOLDEN = fileURLToPath(new URL('../../golden/kube-apiserver-1.35.json', import.meta.url));
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kubeconfig = process.env.HAKOPOD_TEST_KUBECONFIG;
if (kubeconfig === undefined) {
  console.warn('SKIPPED: recording a real API server again; set HAKOPOD_TEST_KUBECONFIG to compare with a live one');
}

/** The same requests wherever they go: in a namespace and an API group that nobody else uses. */
function script(id: string): readonly Step[] {
  return [...steps(`oracle-${id}`), ...customSteps(`oracle-${id}`, `${id}.example.org`)];
}

/** Sends all requests; answers what can be compared, the names of the run made equal. */
async function play(api: Api, id: string): Promise<readonly unknown[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `oracle-${id}` } };
  const crd = definition(`${id}.example.org`);
  expect((await send(api, { method: 'POST', path: '/api/v1/namespaces', body: namespace })).code).toBe(201);
  expect((await send(api, { method: 'POST', path: DEFINITIONS, body: crd })).code).toBe(201);
  const served = { method: 'GET', path: `/apis/${id}.example.org/v1/namespaces/oracle-${id}/widgets` };
  for (let tries = 0; (await send(api, served)).code !== 200; tries += 1) {
    if (tries > 200) throw new Error('the definition is not served');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const answers: unknown[] = [];
  for (const step of script(id)) {
    const answer = comparable(await send(api, step));
    answers.push(JSON.parse(JSON.stringify(answer).replaceAll(id, 'run')));
  }
  await send(api, { method: 'DELETE', path: `${DEFINITIONS}/${crd.metadata.name}` });
  await send(api, { method: 'DELETE', path: `/api/v1/namespaces/oracle-${id}` });
  return answers;
}

/**
 * What a real kube-apiserver 1.35.4 answered to the same requests is recorded; ids, times, addresses and the words of refusals left out.
 * With HAKOPOD_TEST_KUBECONFIG the recording itself is checked; with HAKOPOD_TEST_RECORD as well it is made anew.
 */
describe('a real API server as the oracle', { timeout: 60_000 }, () => {
  const names = script('run').map(({ method, path }, index) => ({
    index,
    title: `${index} ${method} ${path.slice(-70)}`,
  }));
  let ours: readonly unknown[] = [];
  let real: readonly unknown[] = [];
  let golden: readonly unknown[] = [];

  beforeAll(async () => {
    const embedded = await startEmbeddedCluster();
    ours = await play(embedded, `e${randomBytes(4).toString('hex')}`);
    await embedded.stop();
    if (kubeconfig !== undefined) real = await play(apiOf(kubeconfig), `r${randomBytes(4).toString('hex')}`);
    if (process.env.HAKOPOD_TEST_RECORD !== undefined && real.length > 0) {
      writeFileSync(GOLDEN, `[\n${real.map((answer) => JSON.stringify(answer)).join(',\n')}\n]\n`);
    }
    golden = existsSync(GOLDEN) ? JSON.parse(readFileSync(GOLDEN, 'utf8')) : [];
  }, 60_000);

  afterAll(() => {
    expect(golden).toHaveLength(names.length);
  });

  it.each(names)('$index', ({ index }) => {
    expect(ours[index]).toEqual(golden[index]);
    if (kubeconfig !== undefined) expect(golden[index]).toEqual(real[index]);
  });
});
