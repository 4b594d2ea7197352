import type { Manifest } from '../../kernel/index.ts';
import { badRequest, refusal } from './errors.ts';
import { unknownBuiltIn } from './known-fields.ts';
import type { WriteOptions } from './machine.ts';
import type { ResourceInfo } from './resources.ts';
import { unknownBySchema } from './schema.ts';

/** Dotted names of the fields a kind does not declare. */
export function unknownFields(info: ResourceInfo, object: Manifest): readonly string[] {
  if (info.custom === undefined) return unknownBuiltIn(object);
  return info.custom.schema === undefined ? [] : unknownBySchema(info.custom.schema, object);
}

/** 400 under `fieldValidation=Strict` when a create or update carries unknown fields. */
export function refuseUnknownFields(info: ResourceInfo, object: Manifest, options: WriteOptions): void {
  if (options.validation !== 'Strict') return;
  const unknown = unknownFields(info, object);
  if (unknown.length === 0) return;
  const list = unknown.map((field) => `unknown field "${field.replace(/^\./, '')}"`).join(', ');
  throw badRequest(
    `${info.kind} in version "${info.version}" cannot be handled as a ${info.kind}: strict decoding error: ${list}`,
  );
}

/** 500 for a server-side apply of unknown fields, whatever the field validation (measured on 1.35.4: permanent, although a 500). */
export function refuseUndeclared(info: ResourceInfo, object: Manifest): void {
  const unknown = unknownFields(info, object);
  if (unknown.length === 0) return;
  const { name, namespace } = object.metadata;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const list = unknown.map((field) => `${field}: field not declared in schema`).join(', ');
  const shown = unknown.length === 1 ? list : `errors: ${list}`;
  throw refusal(
    500,
    `failed to create typed patch object (${place}; ${object.apiVersion}, Kind=${info.kind}): ${shown}`,
  );
}
