import { randomUUID } from 'node:crypto';
import type { Manifest } from '../../kernel/index.ts';
import { type Managed, trackUpdate, type Writer } from './apply.ts';
import { customCauses, shapeCustom } from './crds.ts';
import { withDefaults } from './defaults.ts';
import { finishIfReleased } from './delete.ts';
import {
  alreadyExists,
  badRequest,
  type Cause,
  conflict,
  forbidden,
  invalid,
  notFound,
  refusal,
  stale,
} from './errors.ts';
import { seconds, suffix } from './ids.ts';
import { builtInCauses, carryOver, completeNew, immutableCauses, lateFinalizers } from './kind-rules.ts';
import type { Machine, Target, WriteOptions } from './machine.ts';
import { at, isManifest, isRecord, items, sameJson, text, withMetadata, without } from './objects.ts';
import { omitEmpty } from './omit-empty.ts';
import { apiVersionOf, builtIn, type ResourceInfo } from './resources.ts';
import { refuseUnknownFields } from './strict.ts';
import { builtInStructure, schemaStructure } from './structure.ts';

/** Who writes this object, for `managedFields`. */
export function writerOf(machine: Machine, info: ResourceInfo, options: WriteOptions): Writer {
  const schema = info.custom?.schema;
  return {
    manager: options.manager,
    apiVersion: apiVersionOf(info),
    time: seconds(machine.now()),
    subresource: options.subresource,
    structureAt: schema === undefined ? builtInStructure(info.kind) : schemaStructure(schema),
  };
}

/** The live object, or 404. */
export function mustGet(machine: Machine, { info, namespace, name }: Target): Manifest {
  const live = machine.store.get(info, namespace, name);
  if (live === undefined) throw notFound(info, name);
  return live;
}

/** The body as an object of this resource, named as the request names it; 400 otherwise. */
export function asObject(target: Omit<Target, 'name'> & { readonly name?: string }, body: unknown): Manifest {
  const { info, namespace } = target;
  const wanted = apiVersionOf(info);
  if (!isRecord(body)) throw badRequest('the request body is not an object');
  const given = { apiVersion: wanted, kind: info.kind, ...body, metadata: body.metadata ?? {} };
  if (!isManifest(given)) throw badRequest('the object has no valid apiVersion, kind and metadata');
  if (given.apiVersion !== wanted || given.kind !== info.kind) {
    throw badRequest(`the object in the data does not match the expected ${wanted}, Kind=${info.kind}`);
  }
  if (given.metadata.namespace !== undefined && given.metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  const name = given.metadata.name ?? target.name;
  if (target.name !== undefined && name !== target.name) {
    throw badRequest('the name of the object does not match the name on the URL');
  }
  const named = name === undefined ? given : withMetadata(given, { name });
  return namespace === undefined ? named : withMetadata(named, { namespace });
}

function mustHaveNamespace(machine: Machine, { info, namespace, name }: Target): void {
  if (!info.namespaced) return;
  const found = machine.store.get(builtIn('namespaces'), undefined, namespace ?? '');
  if (found === undefined) throw notFound(builtIn('namespaces'), namespace ?? '');
  if (found.metadata.deletionTimestamp !== undefined) {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(info, name, why);
  }
}

function judge(machine: Machine, info: ResourceInfo, states: { live: Manifest | undefined; next: Manifest }): void {
  const { live, next } = states;
  const causes: Cause[] = [
    ...(live === undefined ? [] : [...immutableCauses(live, next), ...lateFinalizers(live, next)]),
    ...(info.custom === undefined ? builtInCauses(machine.store, live, next) : customCauses(info, next)),
  ];
  const message = machine.validators[`${info.group}/${info.kind}`]?.(next, live);
  if (message !== undefined) causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${message}` });
  if (causes.length > 0) throw invalid(info, next.metadata.name, causes);
}

function admit(
  machine: Machine,
  info: ResourceInfo,
  admission: Parameters<NonNullable<Machine['hooks']['admit']>>[0],
): void {
  const why = machine.hooks.admit?.(admission);
  if (why !== undefined) throw forbidden(info, admission.object.metadata.name, why);
}

function named(info: ResourceInfo, object: Manifest): Manifest {
  if ((object.metadata.name ?? '') !== '') return object;
  const base = text(object.metadata.generateName);
  if (base === undefined) {
    const message = 'Required value: name or generateName is required';
    throw invalid(info, '', [{ reason: 'FieldValueRequired', message, field: 'metadata.name' }]);
  }
  return withMetadata(object, { name: `${base.slice(0, 58)}${suffix()}` });
}

function shape(info: ResourceInfo, object: Manifest): Manifest {
  return info.custom === undefined ? omitEmpty(withDefaults(object)) : shapeCustom(info, object);
}

/** Stores a new object. 404 without its namespace, 422 when invalid, 403 when refused, 409 when the name is taken. */
export function create(
  machine: Machine,
  place: Omit<Target, 'name'>,
  request: {
    readonly body: Manifest;
    readonly options: WriteOptions;
    /** Entries of `managedFields` made by server-side apply; made here when absent. */
    readonly managed?: readonly Managed[];
  },
): Manifest {
  const { info, namespace } = place;
  const { options } = request;
  const body = named(info, request.body);
  const { name } = body.metadata;
  if (body.metadata.resourceVersion !== undefined && body.metadata.resourceVersion !== '') {
    throw refusal(400, 'resourceVersion should not be set on objects to be created', { reason: 'BadRequest' });
  }
  mustHaveNamespace(machine, { info, namespace, name });
  if (request.managed === undefined) refuseUnknownFields(info, body, options);
  const fresh = withMetadata(info.status ? without(body, 'status') : body, {
    uid: randomUUID(),
    creationTimestamp: seconds(machine.now()),
    generation: info.generation === 'none' ? undefined : 1,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    managedFields: undefined,
  });
  const shaped = shape(info, fresh);
  const object = completeNew(machine.store, shaped);
  judge(machine, info, { live: undefined, next: object });
  admit(machine, info, { operation: 'CREATE', object, previous: undefined, subresource: undefined });
  if (machine.store.get(info, namespace, name) !== undefined) throw alreadyExists(info, name);
  const managed = request.managed ?? trackUpdate(undefined, shaped, writerOf(machine, info, options));
  const stored = withMetadata(object, { managedFields: managed.length === 0 ? undefined : managed });
  if (options.dryRun) return stored;
  return machine.store.put(info, stored);
}

/** The next state of the whole object, given what a request may change: all but status, or status alone. */
function combine(
  info: ResourceInfo,
  live: Manifest,
  request: { next: Manifest; subresource: string | undefined },
): Manifest {
  const { next, subresource } = request;
  const kept = {
    namespace: live.metadata.namespace,
    uid: live.metadata.uid,
    creationTimestamp: live.metadata.creationTimestamp,
    generation: live.metadata.generation,
    resourceVersion: live.metadata.resourceVersion,
    deletionTimestamp: live.metadata.deletionTimestamp,
    deletionGracePeriodSeconds: live.metadata.deletionGracePeriodSeconds,
    managedFields: live.metadata.managedFields,
  };
  if (subresource === 'status') return { ...live, status: next.status };
  const whole = withMetadata(next, kept);
  if (!info.status) return whole;
  const body = without(whole, 'status');
  return live.status === undefined ? body : { ...body, status: live.status };
}

function bumps(info: ResourceInfo, live: Manifest, next: Manifest): boolean {
  switch (info.generation) {
    case 'none':
      return false;
    case 'spec':
      return !sameJson(live.spec, next.spec);
    case 'spec+annotations':
      return (
        !sameJson(live.spec, next.spec) || !sameJson(live.metadata.annotations ?? {}, next.metadata.annotations ?? {})
      );
    default: {
      const content = (object: Manifest): Manifest => {
        const bare = without(object, 'metadata');
        return info.status ? without(bare, 'status') : bare;
      };
      return !sameJson(content(live), content(next));
    }
  }
}

/**
 * A NetworkPolicy written with an empty list gets a new generation each time, although what is stored is the same: its strategy tells a nil
 * list from an empty one (seen on 1.35.4).
 */
function hasEmptyRules(object: Manifest): boolean {
  if (object.kind !== 'NetworkPolicy') return false;
  const hasEmpty = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.length === 0 || value.some(hasEmpty)
      : isRecord(value) && Object.values(value).some(hasEmpty);
  return hasEmpty(object.spec);
}

function checkVersion(info: ResourceInfo, live: Manifest, next: Manifest): void {
  const { name, resourceVersion, uid } = next.metadata;
  if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== live.metadata.resourceVersion) {
    throw stale(info, name);
  }
  if (uid !== undefined && uid !== live.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
    throw conflict(info, name, why);
  }
}

/** Entries by who they belong to: their times, and the order that follows from times, do not count. */
function byManager(managed: unknown): Readonly<Record<string, unknown>> {
  const name = (entry: Managed): string => `${entry.operation} ${entry.manager} ${entry.subresource ?? ''}`;
  const entries = items(managed).filter(isRecord) as unknown as readonly Managed[];
  return Object.fromEntries(entries.map((entry) => [name(entry), without(entry, 'time')]));
}

function unchanged(live: Manifest, next: Manifest): boolean {
  return (
    sameJson(withMetadata(live, { managedFields: undefined }), withMetadata(next, { managedFields: undefined })) &&
    sameJson(byManager(live.metadata.managedFields), byManager(next.metadata.managedFields))
  );
}

/**
 * Stores a new state of a live object. 409 when the resourceVersion or uid it carries is not the live one, 422 when an immutable field
 * changed; a state equal to the live one writes nothing. Removes the object when its last finalizer goes after its deletion.
 */
export function update(
  machine: Machine,
  target: Target,
  request: {
    readonly live: Manifest;
    readonly next: Manifest;
    readonly options: WriteOptions;
    readonly managed?: readonly Managed[];
  },
): Manifest {
  const { info } = target;
  const { live, options } = request;
  checkVersion(info, live, request.next);
  if (request.managed === undefined) refuseUnknownFields(info, request.next, options);
  const joined = combine(info, live, { next: request.next, subresource: options.subresource });
  const shaped = shape(info, carryOver(live, joined));
  const reset =
    items(request.next.metadata.managedFields).length === 0 && request.next.metadata.managedFields !== undefined;
  const before = reset && request.managed === undefined ? withMetadata(live, { managedFields: undefined }) : live;
  const managed = request.managed ?? trackUpdate(before, shaped, writerOf(machine, info, options));
  const bumped = bumps(info, live, shaped) || hasEmptyRules(joined);
  const generation = bumped ? (live.metadata.generation ?? 0) + 1 : live.metadata.generation;
  const managedFields = managed.length === 0 ? undefined : managed;
  const next = withMetadata(shaped, { managedFields, generation });
  if (unchanged(live, next)) return live;
  judge(machine, info, { live, next });
  admit(machine, info, { operation: 'UPDATE', object: next, previous: live, subresource: options.subresource });
  if (options.dryRun) return next;
  if (finishIfReleased(machine, info, next)) return next;
  return machine.store.put(info, next);
}

/** 422 for a PUT without resourceVersion where the kind demands one. */
export function demandVersion(info: ResourceInfo, next: Manifest): void {
  if (info.unconditional || (text(at(next, 'metadata', 'resourceVersion')) ?? '') !== '') return;
  const message = 'Invalid value: 0: must be specified for an update';
  throw invalid(info, next.metadata.name, [
    { reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' },
  ]);
}
