import { parse } from 'yaml';
import type { Manifest } from '../../kernel/index.ts';
import { type Fields as PatchFields, type PatchKind, strategicMerge } from '../../patch/index.ts';
import { type Conflict, ownable, serverSideApply } from './apply.ts';
import { badRequest, invalid, refusal, unsupportedMedia } from './errors.ts';
import type { Machine, Target, WriteOptions } from './machine.ts';
import { jsonPatch, mergePatch } from './merge.ts';
import { at, type Fields, isRecord, items, text, withMetadata, without } from './objects.ts';
import { apiVersionOf } from './resources.ts';
import { refuseUndeclared } from './strict.ts';
import { asObject, create, mustGet, update, writerOf } from './write.ts';

export type PatchRequest = {
  /** The media type without parameters. */
  readonly type: string;
  readonly body: Buffer;
  readonly options: WriteOptions;
  readonly force: boolean;
};

/** JSON, 400 when it is not. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw badRequest('the request body is not valid JSON');
  }
}

function parseYaml(body: Buffer): unknown {
  const source = body.toString('utf8');
  try {
    return source.trimStart().startsWith('{') ? JSON.parse(source) : parse(source, { maxAliasCount: 100 });
  } catch {
    throw badRequest('error decoding YAML');
  }
}

/** The kinds whose fields we know well enough to merge strategically, by group and kind. */
const STRATEGIC: Readonly<Record<string, PatchKind>> = {
  'apps/Deployment': 'deployment',
  // Their pod templates are a Deployment's.
  'apps/StatefulSet': 'deployment',
  'apps/DaemonSet': 'deployment',
  '/Service': 'service',
  'networking.k8s.io/Ingress': 'ingress',
};

/** Carries out a PATCH; strategic merge only of workloads, Services and Ingresses, else 415. Answers the object and whether it is new. */
export function patch(
  machine: Machine,
  target: Target,
  request: PatchRequest,
): { readonly object: Manifest; readonly created: boolean } {
  switch (request.type) {
    case 'application/apply-patch+yaml':
      return apply(machine, target, request);
    case 'application/merge-patch+json':
      return change(machine, target, { ...request, edit: (live) => mergePatch(live, parseJson(request.body)) });
    case 'application/json-patch+json':
      return change(machine, target, {
        ...request,
        edit: (live) => byOperations(target, live, parseJson(request.body)),
      });
    case 'application/strategic-merge-patch+json':
      return change(machine, target, { ...request, edit: (live) => strategic(target, live, parseJson(request.body)) });
    default:
      throw unsupportedMedia('the body of the request was in an unknown format');
  }
}

function strategic({ info }: Target, live: Manifest, body: unknown): unknown {
  const kind = STRATEGIC[`${info.group}/${info.kind}`];
  if (kind === undefined) {
    throw unsupportedMedia(`the embedded API server has no strategic merge patch for ${info.kind}`);
  }
  if (!isRecord(body)) throw badRequest('the patch is not an object');
  const merged = strategicMerge(kind, live as PatchFields, body as PatchFields);
  if (merged.ok) return merged.value;
  throw refusal(422, `the patch can not be carried out: ${merged.problem.message}`, { reason: 'Invalid', details: {} });
}

function byOperations(_target: Target, live: Manifest, operations: unknown): unknown {
  const result = jsonPatch(live, items(operations));
  if ('value' in result) return result.value;
  throw refusal(422, `the patch can not be carried out: ${result.failed}`, { reason: 'Invalid', details: {} });
}

function change(
  machine: Machine,
  target: Target,
  request: PatchRequest & { readonly edit: (live: Manifest) => unknown },
): { readonly object: Manifest; readonly created: boolean } {
  const live = mustGet(machine, target);
  const next = asObject(target, request.edit(live));
  refuseOtherUid(target, live, next);
  return { object: update(machine, target, { live, next, options: request.options }), created: false };
}

/** A patch that would change the uid is invalid, where a PUT with another uid is a conflict. */
function refuseOtherUid({ info, name }: Target, live: Manifest, next: Manifest): void {
  if (next.metadata.uid === undefined || next.metadata.uid === live.metadata.uid) return;
  const message = 'Invalid value: field is immutable';
  throw invalid(info, name, [{ reason: 'FieldValueInvalid', message, field: 'metadata.uid' }]);
}

function conflictStatus(conflicts: readonly Conflict[]): Error {
  const causes = conflicts.flatMap(({ manager, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with "${manager}"`, field })),
  );
  const count = causes.length === 1 ? '1 conflict' : `${causes.length} conflicts`;
  const shown = causes.map((cause) => `${cause.message}: ${cause.field}`).join(', ');
  return refusal(409, `Apply failed with ${count}: ${shown}`, { reason: 'Conflict', details: { causes } });
}

/** The part of an applied object this request may set: all but status, or status alone. */
function ownPart(applied: Fields, hasStatus: boolean, subresource: string | undefined): Fields {
  if (subresource === 'status') return { status: applied.status };
  return hasStatus ? without(applied, 'status') : applied;
}

function apply(
  machine: Machine,
  target: Target,
  request: PatchRequest,
): { readonly object: Manifest; readonly created: boolean } {
  const { info, name } = target;
  const { options, force } = request;
  const body = parseYaml(request.body);
  if (!isRecord(body) || text(body.apiVersion) === undefined || text(body.kind) === undefined) {
    throw badRequest('invalid object type: apiVersion and kind are required');
  }
  if (items(at(body, 'metadata', 'managedFields')).length > 0) throw badRequest('metadata.managedFields must be nil');
  const given = asObject(target, body);
  refuseUndeclared(info, given);
  const live = machine.store.get(info, target.namespace, name);
  if (live === undefined && given.metadata.uid !== undefined) {
    throw refusal(409, 'the object to be applied carries a uid but does not exist', { reason: 'Conflict' });
  }
  if (live !== undefined) refuseOtherUid(target, live, given);
  const applied = ownPart(ownable(given), info.status, options.subresource);
  const result = serverSideApply({ live, applied, writer: writerOf(machine, info, options), force });
  if ('conflicts' in result) throw conflictStatus(result.conflicts);
  const { metadata, ...content } = result.object;
  const identity = { apiVersion: apiVersionOf(info), kind: info.kind };
  const ids = { name, namespace: target.namespace, resourceVersion: given.metadata.resourceVersion };
  const next = withMetadata(
    { ...identity, metadata: { ...(isRecord(metadata) ? metadata : {}), name }, ...content },
    ids,
  );
  if (live !== undefined) {
    return { object: update(machine, target, { live, next, options, managed: result.managed }), created: false };
  }
  return { object: create(machine, target, { body: next, options, managed: result.managed }), created: true };
}
