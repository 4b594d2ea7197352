import type { Manifest } from '../../kernel/index.ts';
import type { Cause } from './errors.ts';
import { at, isRecord, items, record, records, text } from './objects.ts';
import { builtIn, type ResourceInfo } from './resources.ts';
import { schemaCauses, shapeBySchema } from './schema.ts';

/** The resources a CustomResourceDefinition makes, one for each version it serves. */
export function resourcesOf(definition: Manifest): readonly ResourceInfo[] {
  const spec = record(definition.spec);
  const names = record(spec.names);
  const group = text(spec.group) ?? '';
  const plural = text(names.plural) ?? '';
  const kind = text(names.kind) ?? '';
  return records(spec.versions)
    .filter((version) => version.served === true)
    .map((version) => {
      const schema = at(version, 'schema', 'openAPIV3Schema');
      return {
        group,
        version: text(version.name) ?? '',
        plural,
        singular: text(names.singular) ?? kind.toLowerCase(),
        kind,
        namespaced: spec.scope === 'Namespaced',
        shortNames: items(names.shortNames).map(String),
        categories: items(names.categories).map(String),
        storage: `${group}/${plural}`,
        status: isRecord(at(version, 'subresources', 'status')),
        scale: false,
        generation: 'content',
        unconditional: false,
        selectable: records(version.selectableFields).map((field) => (text(field.jsonPath) ?? '').replace(/^\./, '')),
        custom: {
          schema: isRecord(schema) ? schema : undefined,
          columns: records(version.additionalPrinterColumns),
        },
      };
    });
}

/** True for the resource of CustomResourceDefinitions itself. */
export function crdOf(info: ResourceInfo): boolean {
  return info.storage === builtIn('customresourcedefinitions').storage;
}

/** A custom object with the schema's defaults filled in and unknown fields dropped; metadata and identity stay. */
export function shapeCustom(info: ResourceInfo, object: Manifest): Manifest {
  const schema = info.custom?.schema;
  if (schema === undefined) return object;
  const { apiVersion, kind, metadata, ...content } = object;
  return { apiVersion, kind, metadata, ...record(shapeBySchema(schema, content)) };
}

/** What the schema refuses; 422 causes. */
export function customCauses(info: ResourceInfo, object: Manifest): readonly Cause[] {
  const schema = info.custom?.schema;
  if (schema === undefined) return [];
  const { apiVersion: _a, kind: _k, metadata: _m, ...content } = object;
  return schemaCauses(schema, content);
}
