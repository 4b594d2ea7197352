import type { Manifest } from '../../kernel/index.ts';
import { at, type Fields, record, records, text } from './objects.ts';
import type { ResourceInfo } from './resources.ts';

type Column = { readonly name: string; readonly type: string; readonly path: string };

/** Columns of the built-in kinds people look at; a plain path into the object each. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Pod: [
    { name: 'Status', type: 'string', path: 'status.phase' },
    { name: 'Node', type: 'string', path: 'spec.nodeName' },
  ],
  Deployment: [
    { name: 'Ready', type: 'integer', path: 'status.readyReplicas' },
    { name: 'Up-to-date', type: 'integer', path: 'status.updatedReplicas' },
    { name: 'Available', type: 'integer', path: 'status.availableReplicas' },
  ],
  Job: [
    { name: 'Succeeded', type: 'integer', path: 'status.succeeded' },
    { name: 'Failed', type: 'integer', path: 'status.failed' },
  ],
  Service: [
    { name: 'Type', type: 'string', path: 'spec.type' },
    { name: 'Cluster-IP', type: 'string', path: 'spec.clusterIP' },
  ],
  Namespace: [{ name: 'Status', type: 'string', path: 'status.phase' }],
};

function columnsOf(info: ResourceInfo): readonly Column[] {
  if (info.custom === undefined) return COLUMNS[info.kind] ?? [];
  return info.custom.columns
    .filter((column) => (column.priority ?? 0) === 0)
    .map((column) => ({
      name: text(column.name) ?? '',
      type: text(column.type) ?? 'string',
      path: (text(column.jsonPath) ?? '').replace(/^\./, ''),
    }));
}

/** Reads a simple JSONPath: dotted names, and one filter on a list such as `conditions[?(@.type=="Ready")].status`. */
export function readPath(object: unknown, path: string): unknown {
  const filter = /^([\w.-]+)\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]\.?(.*)$/.exec(path);
  if (filter === null) return at(object, ...path.split('.'));
  const found = records(at(object, ...(filter[1] ?? '').split('.'))).find(
    (item) => item[filter[2] ?? ''] === filter[3],
  );
  return filter[4] === '' ? found : at(found, ...(filter[4] ?? '').split('.'));
}

/** Objects as a `meta.k8s.io/v1` Table: the name, the kind's columns and the creation time. */
export function tableOf(
  info: ResourceInfo,
  page: { readonly objects: readonly Manifest[]; readonly version: string; readonly next?: string | undefined },
): Fields {
  const columns = columnsOf(info).filter((column) => column.name !== 'Age');
  const definition = (name: string, type: string): Fields => ({
    name,
    type,
    format: name === 'Name' ? 'name' : '',
    description: '',
    priority: 0,
  });
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: page.version, ...(page.next === undefined ? {} : { continue: page.next }) },
    columnDefinitions: [
      definition('Name', 'string'),
      ...columns.map((column) => definition(column.name, column.type === 'date' ? 'string' : column.type)),
      definition('Created', 'string'),
    ],
    rows: page.objects.map((object) => ({
      cells: [
        object.metadata.name,
        ...columns.map((column) => cell(readPath(object, column.path))),
        object.metadata.creationTimestamp ?? '',
      ],
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: record(object.metadata) },
    })),
  };
}

function cell(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}
