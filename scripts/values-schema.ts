import { Config } from '../src/config.ts';

/** Settings the chart decides itself; `config` may not hold them. */
export const CHART_SETTINGS: readonly string[] = [
  'roles',
  'listen',
  'adminListen',
  'redisUrl',
  'kubeconfig',
  'namespace',
  'gitCacheDir',
];

type Schema = Readonly<Record<string, unknown>>;

/** The JSON schema of the chart's values. `config` holds the settings by name, so that a misspelt one is refused at install time. */
export function valuesSchema(): Schema {
  const settings = Object.entries(Config.shape).filter(([name]) => !CHART_SETTINGS.includes(name));
  const anything = { type: 'object' };
  const text = { type: 'string' };
  const replicas = { type: 'integer', minimum: 1 };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...table({
      global: anything,
      image: table({
        repository: { type: 'string', minLength: 1 },
        tag: text,
        digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
        pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
      }),
      imagePullSecrets: { type: 'array', items: table({ name: text }) },
      config: table(Object.fromEntries(settings.map(([name, { description }]) => [name, { description, ...SETTING }]))),
      redis: table({ secretName: { type: 'string', minLength: 1 }, secretKey: { type: 'string', minLength: 1 } }),
      server: table({ replicas, operations: { enum: ['none', 'logs', 'all'] }, resources: anything }),
      worker: table({ replicas, gitCacheSize: text, resources: anything }),
      nodeStatistics: { type: 'boolean' },
      service: table({
        type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
        port: { type: 'integer', minimum: 1, maximum: 65_535 },
        annotations: anything,
      }),
      ingress: table({
        enabled: { type: 'boolean' },
        className: text,
        annotations: anything,
        host: text,
        tlsSecret: text,
        api: { type: 'boolean' },
      }),
    }),
  };
}

/** What a setting may be in YAML; Hakopod itself says whether the value is valid. */
const SETTING: Schema = { type: ['string', 'number', 'boolean', 'array'], items: { type: 'string' } };

function table(properties: Schema): Schema {
  return { type: 'object', additionalProperties: false, properties };
}
