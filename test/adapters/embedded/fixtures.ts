import type { EmbeddedCluster } from '../../../src/adapters/embedded/index.ts';
import type { Manifest } from '../../../src/kernel/index.ts';

/** A Deployment of one replica in `default`. */
export function deployment(
  name: string,
  options: { image?: string; spec?: object; namespace?: string } = {},
): Manifest {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: options.namespace ?? 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'app', image: options.image ?? 'example.org/app:1', ports: [{ containerPort: 80 }] }],
        },
      },
      ...options.spec,
    },
  };
}

export function service(name: string, spec: object = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { selector: { app: name }, ports: [{ name: 'http', port: 80 }], ...spec },
  };
}

export function job(name: string, spec: object = {}): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: {
      backoffLimit: 0,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'example.org/job:1' }] } },
      ...spec,
    },
  };
}

export function configMap(name: string, data: Record<string, string> = {}): Manifest {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data };
}

/** A CRD with a status subresource, a schema with a default, a selectable field and a printed column. */
export function widgets(): Manifest {
  const spec = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 1 },
      color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
      parts: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, weight: { type: 'integer' } },
        },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    },
  };
  const status = { type: 'object', properties: { state: { type: 'string' } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.spec.color' }],
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        },
      ],
    },
  };
}

/** An answer: the HTTP code and the parsed body, typed as loosely as tests need. */
export type Reply = { readonly code: number; readonly body: Body };
export type Body = {
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly [field: string]: unknown };
  readonly items: readonly Body[];
  readonly rows: readonly Body[];
  readonly cells: readonly unknown[];
  readonly columnDefinitions: readonly Body[];
  readonly conditions?: readonly Body[];
  readonly containerStatuses?: readonly Body[];
  readonly status?: Body;
  readonly state?: Body;
  readonly lastState?: Body;
  readonly waiting?: Body;
  readonly terminated?: Body;
  readonly [field: string]: unknown;
};

type Options = { readonly body?: unknown; readonly type?: string; readonly accept?: string };

/** One request with the cluster's token. */
export async function call(
  cluster: EmbeddedCluster,
  method: string,
  path: string,
  options: Options = {},
): Promise<Reply> {
  const headers: Record<string, string> = { authorization: `Bearer ${cluster.token}` };
  if (options.accept !== undefined) headers.accept = options.accept;
  if (options.body !== undefined) headers['content-type'] = options.type ?? 'application/json';
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  const response = await fetch(`${cluster.url}${path}`, { method, headers, ...body });
  const text = await response.text();
  return { code: response.status, body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Body };
}

/** A forced, strict server-side apply. */
export function apply(cluster: EmbeddedCluster, path: string, body: unknown, query = ''): Promise<Reply> {
  const url = `${path}?fieldManager=hakopod&force=true&fieldValidation=Strict${query}`;
  return call(cluster, 'PATCH', url, { body, type: 'application/apply-patch+yaml' });
}

/** Reads the object each time the resource changes until `done` says so; the test's own timeout is the limit. */
export async function until(cluster: EmbeddedCluster, path: string, done: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    const { body } = await call(cluster, 'GET', path);
    if (done(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
