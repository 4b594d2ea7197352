import { describe, expect, it } from 'vitest';
import { objectNames } from '../../../../src/adapters/kubernetes/operations/names.ts';
import { renderDeployment } from '../../../../src/adapters/kubernetes/operations/render.ts';
import { sha256 } from '../../../../src/kernel/index.ts';
import { shows } from '../../../support/claims.ts';
import { newInstance, requestOf, serviceOf } from '../../../support/deploy-stage.ts';

const STAGE = { namespace: 'shop', image: `registry.example.com/app@sha256:${'b'.repeat(64)}` };
const INSTANCE = { ...newInstance(), project: 'Shop.one' };
const CLAIMS = ['data', 'logs'].map((name, i) => ({
  ...{ name, size: '1Gi', accessMode: 'ReadWriteOnce' as const },
  ...(i === 0 ? { class: 'fast' } : {}),
}));
const WEB = serviceOf(STAGE, 'web_1', {
  env: { A: 'open', B: 'shut' },
  secretKeys: ['B'],
  ports: [
    { protocol: 'tcp', published: 80, target: 8080 },
    { protocol: 'tcp', published: 81, target: 8080 },
    { protocol: 'udp', published: 80, target: 53 },
  ],
  mounts: [
    { claim: 'data', path: '/data' },
    { claim: 'data', path: '/copy', readOnly: true },
    { claim: 'logs', path: '/logs' },
  ],
});
const REQUEST = requestOf(STAGE, INSTANCE, [WEB, serviceOf(STAGE, 'db')], { claims: CLAIMS, revision: 7 });
const [web, db] = renderDeployment(REQUEST);
const SELECTOR = { 'hakopod.io/instance': INSTANCE.instanceId, 'hakopod.io/service': 'web_1' };

function nameOf(project: string, ...services: readonly string[]): readonly string[] {
  return [...objectNames(project, services).values()];
}

describe('a deployment request rendered', () => {
  it(`${shows('render', 'names')} names objects in the alphabet of labels`, () => {
    expect([web?.name, db?.name]).toEqual(['shop-one-web-1', 'shop-one-db']);
    expect(nameOf('1st', 'web')).toEqual(['hakopod-1st-web']);
    expect(nameOf('a', 'web_')).toEqual(['a-web']);
  });

  it(`${shows('render', 'long_names')} cuts a name that is too long and tells it apart`, () => {
    const service = 's'.repeat(61);
    expect(nameOf('p', service)).toEqual([`p-${service}`]);
    const [cut] = nameOf('pp', `${service}x`);
    expect(cut).toBe(`pp-${'s'.repeat(53)}-${sha256(`pp/${service}x`).slice(0, 6)}`);
    expect(cut).toHaveLength(63);
    const [trimmed] = nameOf('p'.repeat(55), 'x'.repeat(20));
    expect(trimmed).toMatch(/^p{55}-[0-9a-f]{6}$/);
  });

  it(`${shows('render', 'shared_names')} tells two services of one name apart`, () => {
    const [one, two, three] = nameOf('p', 'a-b', 'a_b', 'c');
    expect(one).toBe(`p-a-b-${sha256('p/a-b').slice(0, 6)}`);
    expect(two).toBe(`p-a-b-${sha256('p/a_b').slice(0, 6)}`);
    expect(three).toBe('p-c');
  });

  it(`${shows('render', 'labels')} labels every object and the pods, and selects by two of the labels`, () => {
    const labels = {
      'app.kubernetes.io/name': 'web_1',
      'app.kubernetes.io/instance': 'Shop.one',
      'app.kubernetes.io/managed-by': 'hakopod',
      'hakopod.io/application': INSTANCE.applicationId,
      ...SELECTOR,
    };
    const annotations = {
      'hakopod.io/revision': '7',
      'hakopod.io/deployment': REQUEST.deployment,
      'hakopod.io/spec-digest': REQUEST.target.specDigest,
    };
    const objects = [web?.configMap, web?.secret, web?.deployment, web?.network, ...(web?.claims ?? [])];
    expect(objects).toHaveLength(6);
    for (const object of objects) expect(object?.metadata).toMatchObject({ namespace: 'shop', labels, annotations });
    expect(web?.deployment.spec).toMatchObject({
      selector: { matchLabels: SELECTOR },
      template: { metadata: { labels, annotations: { 'hakopod.io/deployment': REQUEST.deployment } } },
    });
    const odd = renderDeployment({ ...REQUEST, project: `${'p'.repeat(63)}x` })[0];
    expect(odd?.deployment.metadata.labels?.['app.kubernetes.io/instance']).toBe('p'.repeat(63));
    const ending = renderDeployment({ ...REQUEST, project: 'p._-' })[0];
    expect(ending?.deployment.metadata.labels?.['app.kubernetes.io/instance']).toBe('p');
  });

  it(`${shows('render', 'env_split')} keeps open variables in a ConfigMap and the others in a Secret`, () => {
    expect(web?.configMap).toMatchObject({ metadata: { name: 'shop-one-web-1-env' }, data: { A: 'open' } });
    const data = { B: Buffer.from('shut').toString('base64') };
    expect(web?.secret).toMatchObject({ metadata: { name: 'shop-one-web-1-secret' }, type: 'Opaque', data });
    expect([db?.configMap.data, db?.secret]).toEqual([{}, undefined]);
  });

  it(`${shows('render', 'deadlines', 'volumes')} renders one container with its claims, and nothing nobody asked for`, () => {
    expect(web?.deployment.spec).toEqual({
      replicas: 1,
      strategy: { type: 'Recreate' },
      minReadySeconds: 10,
      progressDeadlineSeconds: 540,
      selector: expect.anything(),
      template: {
        metadata: expect.anything(),
        spec: {
          restartPolicy: 'Always',
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'web-1',
              image: STAGE.image,
              ports: [
                { containerPort: 8080, protocol: 'TCP' },
                { containerPort: 53, protocol: 'UDP' },
              ],
              envFrom: [
                { configMapRef: { name: 'shop-one-web-1-env' } },
                { secretRef: { name: 'shop-one-web-1-secret' } },
              ],
              volumeMounts: [
                { name: 'data', mountPath: '/data' },
                { name: 'data', mountPath: '/copy', readOnly: true },
                { name: 'logs', mountPath: '/logs' },
              ],
            },
          ],
          volumes: ['data', 'logs'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        },
      },
    });
    expect(web?.claims.map((claim) => claim.spec)).toEqual([
      { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
      { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    ]);
    expect(db?.claims).toEqual([]);
  });

  it(`${shows('render', 'service_ports')} publishes ports by a Service, with the address asked for`, () => {
    expect(web?.network?.spec).toEqual({
      type: 'ClusterIP',
      selector: SELECTOR,
      ports: [
        { name: 'tcp-80', port: 80, targetPort: 8080, protocol: 'TCP' },
        { name: 'tcp-81', port: 81, targetPort: 8080, protocol: 'TCP' },
        { name: 'udp-80', port: 80, targetPort: 53, protocol: 'UDP' },
      ],
    });
    expect(db?.network).toBeUndefined();
    const fixed = renderDeployment({ ...REQUEST, services: [{ ...WEB, clusterIP: '10.0.0.9' }] })[0];
    expect(fixed?.network?.spec).toMatchObject({ clusterIP: '10.0.0.9' });
  });
});
