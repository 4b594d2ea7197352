import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type Manifest } from '../../src/kernel/index.ts';
import { allObjects, endpointHost, type RenderInput, renderApplication } from '../../src/render/index.ts';
import { ID, inputFor, rendered } from './fixture.ts';
import { MARKET } from './market.ts';

const GOLDEN = join(import.meta.dirname, '../golden/render');

// biome-ignore lint/suspicious/noExplicitAny: manifests are free-form
type Loose = any;

function find(kind: string, name: string, input = inputFor(MARKET)): Manifest {
  const found = allObjects(rendered(input)).find((o) => o.kind === kind && o.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind}/${name}`);
  return found;
}
const spec = (kind: string, name: string, input?: RenderInput): Loose => find(kind, name, input).spec;
const pod = (name: string, input?: RenderInput): Loose => spec('Deployment', name, input).template.spec;
const app = (name: string, input?: RenderInput): Loose => pod(name, input).containers[0];
const changed = (from: string, to: string): RenderInput => {
  expect(MARKET).toContain(from);
  return inputFor(MARKET.replace(from, to));
};
const has = (kind: string, name: string, input = inputFor(MARKET)): boolean =>
  allObjects(rendered(input)).some((o) => o.kind === kind && o.metadata.name === name);

describe('every field of a specification', () => {
  it('is rendered as recorded', async () => {
    const text = `${JSON.stringify(JSON.parse(canonicalJson(rendered(inputFor(MARKET)))), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(GOLDEN, 'market.json'));
  });

  it('sets users, groups, the root file system, the working directory and the time to stop', () => {
    expect(pod('pg').securityContext).toMatchObject({ runAsUser: 999, runAsGroup: 998, fsGroup: 997 });
    expect(pod('pg').terminationGracePeriodSeconds).toBe(60);
    expect(app('pg').securityContext.readOnlyRootFilesystem).toBe(true);
    expect(app('pg').workingDir).toBe('/var/lib/pg');
    expect(app('cache')).not.toHaveProperty('workingDir');
  });

  it('merges the environment of the application, and gives bindings and secrets from the snapshot alone', () => {
    expect(app('front').env.map((e: Loose) => [e.name, e.value ?? e.valueFrom.secretKeyRef.key])).toEqual([
      ['LOG_LEVEL', 'info'],
      ['REGION', 'eu'],
      ['ADMIN_URL', '__binding_ADMIN_URL'],
      ['APP_KEY', 'APP_KEY'],
      ['DATABASE_URL', '__binding_DATABASE_URL'],
    ]);
    const secret = allObjects(rendered(inputFor(MARKET))).find((o) => o.metadata.name.startsWith('front-environment-'));
    const data = secret?.data as Record<string, string>;
    const url = Buffer.from(data.__binding_DATABASE_URL ?? '', 'base64').toString();
    expect(url).toBe('postgres://app:db-password@pg:5432/app');
    for (const object of allObjects(rendered(inputFor(MARKET)))) {
      if (object.kind !== 'Secret')
        expect(canonicalJson(object)).not.toMatch(/db-password|front-credentials|postgres:/);
    }
  });

  it('rolls the pods when the password behind a binding is another one', () => {
    const input = inputFor(MARKET);
    const front = { ...input.secrets.front, __binding_DATABASE_URL: 'eA==' };
    const other = { ...input, secrets: { ...input.secrets, front } };
    expect(canonicalJson(pod('front', other))).not.toBe(canonicalJson(pod('front')));
  });

  it('mounts files by sub-path from immutable snapshots, with their modes', () => {
    const { volumes, containers } = pod('front');
    const [credentials, settings] = volumes as readonly Loose[];
    expect(credentials).toMatchObject({
      name: 'config-file-0',
      secret: { items: [{ key: '__file_credentials', path: 'file', mode: 0o440 }], defaultMode: 0o440 },
    });
    expect(settings).toMatchObject({
      name: 'config-file-1',
      configMap: { items: [{ key: 'settings', path: 'file', mode: 0o444 }], defaultMode: 0o444 },
    });
    expect(containers[0].volumeMounts).toEqual([
      { name: 'config-file-0', mountPath: '/app/credentials.json', subPath: 'file', readOnly: true },
      { name: 'config-file-1', mountPath: '/etc/front/settings.yaml', subPath: 'file', readOnly: true },
    ]);
    expect(settings.configMap.name).toMatch(/^front-files-[0-9a-f]{16}$/);
    expect(credentials.secret.secretName).toMatch(/^front-files-secret-[0-9a-f]{16}$/);
    const config = find('ConfigMap', settings.configMap.name);
    expect(config).toMatchObject({ immutable: true, data: { settings: 'log_level: info\n' } });
    expect(config.metadata.labels?.['hakopod.io/config-files']).toBe('true');
    expect(find('Secret', credentials.secret.secretName)).toMatchObject({
      immutable: true,
      metadata: { labels: { 'hakopod.io/config-files': 'true' } },
    });
    const next = pod('front', changed('log_level: info', 'log_level: warn')).volumes[1].configMap.name;
    expect(next).not.toBe(settings.configMap.name);
  });

  it('claims storage under the documented names, keeps it, and stops before it starts', () => {
    expect(spec('PersistentVolumeClaim', 'pg-data')).toEqual({
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '2Gi' } },
      storageClassName: 'fast',
      volumeMode: 'Filesystem',
    });
    expect(spec('PersistentVolumeClaim', 'hakopod-volume-media')).not.toHaveProperty('storageClassName');
    expect(spec('PersistentVolumeClaim', 'hakopod-volume-pool').accessModes).toEqual(['ReadWriteMany']);
    const claim = find('PersistentVolumeClaim', 'pg-data');
    expect(claim.metadata.annotations?.['hakopod.io/retain-data']).toBe('true');
    for (const name of ['pg', 'thumbs', 'upload']) {
      expect(spec('Deployment', name).strategy).toEqual({ type: 'Recreate' });
    }
    expect(spec('Deployment', 'front').strategy).toEqual({ type: 'Recreate' });
    expect(spec('Deployment', 'stream').strategy.type).toBe('RollingUpdate');
  });

  it('mounts claims, temporary space and sub-paths where they are asked for', () => {
    expect(pod('pg').volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'pg-data' } },
      { name: 'temporary-0', emptyDir: { sizeLimit: '64Mi' } },
      { name: 'temporary-1', emptyDir: { sizeLimit: '16Mi', medium: 'Memory' } },
    ]);
    expect(app('pg').volumeMounts.map((m: Loose) => [m.name, m.mountPath])).toEqual([
      ['data', '/data'],
      ['temporary-0', '/scratch'],
      ['temporary-1', '/sockets'],
    ]);
    expect(app('thumbs').volumeMounts).toEqual([
      { name: 'volume-media', mountPath: '/media', readOnly: false },
      { name: 'volume-pool', mountPath: '/pool', readOnly: true, subPath: 'thumbs' },
    ]);
  });

  it('puts pods that share a ReadWriteOnce claim on one node, and no others', () => {
    const [thumbs, upload] = ['thumbs', 'upload'].map((name) => pod(name).affinity.podAffinity);
    expect(thumbs).toEqual(upload);
    const [term] = thumbs.requiredDuringSchedulingIgnoredDuringExecution;
    expect(term.topologyKey).toBe('kubernetes.io/hostname');
    const labels = spec('Deployment', 'thumbs').template.metadata.labels;
    // They select themselves: otherwise the first pod could never be placed.
    expect(labels).toMatchObject(term.labelSelector.matchLabels);
    expect(term.labelSelector.matchLabels).toMatchObject({ 'hakopod.io/application-id': ID });
    expect(pod('pg')).not.toHaveProperty('affinity');
  });

  it('places by architecture, by node and by device', () => {
    expect(pod('cache').nodeSelector).toEqual({ 'kubernetes.io/arch': 'arm64' });
    const [term] = pod('train').affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(term.matchFields).toEqual([{ key: 'metadata.name', operator: 'In', values: ['gpu-node-1'] }]);
    expect(pod('train')).not.toHaveProperty('nodeName');
    expect(pod('train').tolerations).toEqual([{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }]);
    expect(app('train').resources.requests['nvidia.com/gpu']).toBe('2');
    expect(app('train').resources.limits['nvidia.com/gpu']).toBe('2');
    expect(pod('train').volumes).toEqual([{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } }]);
    expect(app('train').volumeMounts).toEqual([{ name: 'shm', mountPath: '/dev/shm', readOnly: false }]);
  });

  it('stops a suspended service, and lets nothing scale it up again', () => {
    expect(spec('Deployment', 'parked').replicas).toBe(0);
    expect(has('HorizontalPodAutoscaler', 'parked')).toBe(false);
    const resumed = changed('suspended = true', 'suspended = false');
    expect(spec('Deployment', 'parked', resumed).replicas).toBe(1);
    expect(spec('HorizontalPodAutoscaler', 'parked', resumed)).toMatchObject({ minReplicas: 1, maxReplicas: 3 });
  });

  it('scales by CPU, slowly down', () => {
    expect(spec('HorizontalPodAutoscaler', 'front')).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'front' },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    });
    expect(spec('Deployment', 'front').replicas).toBe(2);
  });

  it('asks for readiness where and as often as the file says, and starts by the primary port', () => {
    expect(app('front').readinessProbe).toEqual({
      tcpSocket: { port: 9001 },
      periodSeconds: 10,
      timeoutSeconds: 4,
      failureThreshold: 6,
      successThreshold: 1,
    });
    expect(app('front').startupProbe.tcpSocket).toEqual({ port: 8080 });
  });

  it('restarts when the nonce says so', () => {
    const annotations = (input?: RenderInput): Loose =>
      spec('Deployment', 'front', input).template.metadata.annotations;
    expect(annotations()).toEqual({ 'hakopod.io/restart-nonce': 'once-more' });
    expect(annotations(changed('restart_nonce = "once-more"', ''))).toBeUndefined();
  });

  it('serves additional endpoints under hosts of their own, with the issuer of the service', () => {
    const front = find('Ingress', 'front');
    const [host, endpoint] = ['front-0123456789ab.apps.example.com', 'front-console-0123456789ab.apps.example.com'];
    expect(endpointHost('front', 'console', { id: ID, appDomain: 'apps.example.com' })).toBe(endpoint);
    const { rules, tls } = front.spec as Loose;
    expect(rules.map((r: Loose) => [r.host, r.http.paths[0].backend.service.port.number])).toEqual([
      [host, 8080],
      [endpoint, 9000],
    ]);
    expect(tls).toEqual([{ hosts: [host, endpoint], secretName: 'hakopod-tls-front' }]);
    expect(front.metadata.annotations).toMatchObject({
      'cert-manager.io/issuer': 'own-issuer',
      'haproxy.org/ssl-redirect': 'true',
    });
    expect(front.metadata.annotations).not.toHaveProperty('cert-manager.io/cluster-issuer');
    expect(find('Ingress', 'stream').metadata.annotations).toMatchObject({
      'haproxy.org/server-proto': 'h2',
      'cert-manager.io/cluster-issuer': 'letsencrypt',
    });
    expect(front.metadata.annotations).not.toHaveProperty('haproxy.org/server-proto');
    // The controller connects to pods: the target of the endpoint, not its Service port.
    const [, controller] = (spec('NetworkPolicy', 'hakopod-service-front') as Loose).ingress;
    expect((controller ?? spec('NetworkPolicy', 'hakopod-service-front').ingress[0]).ports).toEqual([
      { protocol: 'TCP', port: 8080 },
      { protocol: 'TCP', port: 9001 },
    ]);
  });

  it('lets the solver of an issuer in although the installation has none', () => {
    const { tlsIssuer: _, ...options } = inputFor(MARKET).options;
    const names = allObjects(rendered(inputFor(MARKET, { options }))).map((o) => o.metadata.name);
    expect(names).toContain('hakopod-acme-http01');
    const plain = changed('[services.front.tls]\nissuer = "own-issuer"\nissuer_kind = "Issuer"', '');
    const none = allObjects(rendered({ ...plain, options })).map((o) => o.metadata.name);
    expect(none).not.toContain('hakopod-acme-http01');
  });

  it('lets in whom network_access lists', () => {
    const from = (service: string): Loose =>
      spec('NetworkPolicy', `hakopod-service-${service}`).ingress.flatMap((rule: Loose) =>
        rule.from.map((peer: Loose) => peer.podSelector?.matchLabels['hakopod.io/service']),
      );
    expect(from('pg')).toEqual(['front', 'nightly']);
    expect(from('cache')).toEqual([]);
  });

  it('renders a schedule as a CronJob, and a job beside it as a Job', () => {
    expect(spec('CronJob', 'nightly-cron')).toMatchObject({
      schedule: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 60,
      successfulJobsHistoryLimit: 2,
      failedJobsHistoryLimit: 2,
      suspend: false,
      jobTemplate: { spec: { completions: 1, backoffLimit: 1, activeDeadlineSeconds: 600 } },
    });
    const stopped = changed('command = ["/app/report"]', 'command = ["/app/report"]\nsuspended = true');
    expect(spec('CronJob', 'nightly-cron', stopped).suspend).toBe(true);
    expect(find('CronJob', 'nightly-cron').metadata.annotations).toMatchObject({ 'hakopod.io/job-revision': '3' });
    expect(has('Job', 'nightly-job')).toBe(false);
    expect(spec('Job', 'setup-job')).toMatchObject({ backoffLimit: 2, activeDeadlineSeconds: 300 });
    expect(spec('Job', 'setup-job').template.spec.volumes).toHaveLength(1);
  });

  it('has a budget for devices and data', () => {
    const hard = spec('ResourceQuota', 'hakopod-budget').hard;
    expect(hard).toMatchObject({
      'requests.cpu': '32',
      'limits.cpu': '64',
      'requests.memory': '64Gi',
      'limits.memory': '128Gi',
      'requests.nvidia.com/gpu': '8',
      'requests.ephemeral-storage': '8Gi',
      persistentvolumeclaims: '20',
      'requests.storage': '200Gi',
    });
    const plain = inputFor('schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\n');
    expect(spec('ResourceQuota', 'hakopod-budget', plain).hard).not.toHaveProperty('requests.nvidia.com/gpu');
  });

  it('counts the most an autoscaler may start', () => {
    const many = 'schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\nsize = "compute"\n';
    const scaled = inputFor(`${many}[services.a.autoscaling]\nmax_replicas = 20\n`);
    expect(spec('ResourceQuota', 'hakopod-budget', scaled).hard['requests.cpu']).toBe('50');
  });
});

describe('what can not be rendered', () => {
  const refusal = (input: RenderInput): unknown => {
    const result = renderApplication(input);
    return result.ok ? undefined : { code: result.problem.code, at: result.problem.at };
  };

  it('is refused although a plan let it pass', () => {
    const text = 'schema_version = 1\nname = "shop"\n[services.a]\nimage = "a:1"\nruntime_profile = "kata"\n';
    expect(refusal(inputFor(text))).toEqual({ code: 'unsupported_feature', at: 'services.a.runtime_profile' });
  });

  it('names the binding or file whose secret has no value', () => {
    const input = inputFor(MARKET);
    const without = (key: string): RenderInput => {
      const { [key]: _, ...front } = input.secrets.front ?? {};
      return { ...input, secrets: { ...input.secrets, front } };
    };
    expect(refusal(without('__binding_DATABASE_URL'))).toEqual({
      code: 'missing_secrets',
      at: 'services.front.bindings.DATABASE_URL.password',
    });
    expect(refusal(without('__file_credentials'))).toEqual({
      code: 'missing_secrets',
      at: 'services.front.files.credentials.secret',
    });
  });

  it('refuses more than 512 KiB of secret values for one service', () => {
    const input = inputFor(MARKET);
    const sized = (bytes: number): RenderInput => {
      const value = Buffer.alloc(bytes).toString('base64');
      return { ...input, secrets: { ...input.secrets, pg: { APP_KEY: value, POSTGRES_PASSWORD: '' } } };
    };
    expect(refusal(sized(512 * 1024))).toBeUndefined();
    expect(refusal(sized(512 * 1024 + 1))).toEqual({ code: 'invalid_secret', at: 'services.pg' });
  });
});
