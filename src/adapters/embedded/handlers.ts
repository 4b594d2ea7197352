import type { Manifest } from '../../kernel/index.ts';
import { type Denial, refuseDenied } from './access.ts';
import { type DeleteRequest, deleteObject, type Propagation } from './delete.ts';
import { type ApiError, badRequest, expired, invalid, methodNotAllowed, noSuchPath, refusal } from './errors.ts';
import type { Machine, Target, WriteOptions } from './machine.ts';
import { at, type Fields, isRecord, text } from './objects.ts';
import { parseJson, patch } from './patch.ts';
import type { Printer } from './print.ts';
import { formOf, listPage, type OpenLists, selectionOf, versionOf } from './read.ts';
import type { Route } from './routes.ts';
import { readScale, writeScale } from './scale.ts';
import type { WatchRequest } from './watch.ts';
import { asObject, create, demandVersion, mustGet, update } from './write.ts';

/** A request for a resource, its body read. */
export type Call = {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly accept: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly body: Buffer;
};

export type Answer = { readonly code: number; readonly json: string };

export type Desk = {
  readonly machine: Machine;
  readonly printer: Printer;
  readonly open: OpenLists;
  /** Read at each request. */
  readonly denials: () => readonly Denial[];
};

function optionsOf({ query, route, userAgent }: Call): WriteOptions {
  const dryRun = query.get('dryRun');
  const validation = query.get('fieldValidation') ?? 'Warn';
  const known = validation === 'Strict' || validation === 'Warn' || validation === 'Ignore';
  if (dryRun !== null && dryRun !== 'All') throw badRequest('dryRun must be All');
  if (!known) throw badRequest('fieldValidation must be Strict, Warn or Ignore');
  const manager = query.get('fieldManager') ?? (userAgent.split('/')[0] || 'unknown');
  return { dryRun: dryRun === 'All', manager, validation, subresource: route.subresource };
}

function targetOf(route: Route): Target {
  if (route.name === undefined) throw methodNotAllowed();
  return { info: route.info, namespace: route.namespace, name: route.name };
}

function shown(desk: Desk, call: Call, result: { readonly object: Manifest; readonly created?: boolean }): Answer {
  const { info } = call.route;
  const json = desk.printer.object(info, result.object, formOf(call.accept, info));
  return { code: result.created === true ? 201 : 200, json };
}

/** What DELETE was asked, from the query and the `DeleteOptions` in the body. */
function deleteRequest(call: Call): DeleteRequest {
  const body = call.body.length === 0 ? {} : parseJson(call.body);
  const pick = (name: string): string | undefined => text(at(body, name)) ?? call.query.get(name) ?? undefined;
  const propagation = pick('propagationPolicy');
  if (propagation !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagation)) {
    throw refusal(422, 'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value', {
      reason: 'Invalid',
      details: {
        causes: [{ reason: 'FieldValueNotSupported', message: 'Unsupported value', field: 'propagationPolicy' }],
      },
    });
  }
  const dryRun =
    call.query.get('dryRun') === 'All' || (isRecord(body) && Array.isArray(body.dryRun) && body.dryRun.includes('All'));
  return {
    propagation: propagation as Propagation | undefined,
    uid: text(at(body, 'preconditions', 'uid')),
    resourceVersion: text(at(body, 'preconditions', 'resourceVersion')),
    dryRun,
  };
}

function remove(desk: Desk, call: Call): Answer {
  const target = targetOf(call.route);
  const live = mustGet(desk.machine, target);
  const left = deleteObject(desk.machine, target.info, { ...deleteRequest(call), live });
  if (left !== undefined) return shown(desk, call, { object: left });
  const details = { name: target.name, group: target.info.group, kind: target.info.plural, uid: live.metadata.uid };
  return {
    code: 200,
    json: JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }),
  };
}

function removeAll(desk: Desk, call: Call): Answer {
  const { info } = call.route;
  const request = deleteRequest(call);
  const objects = desk.machine.store.list(info, selectionOf(call.route, call.query));
  for (const live of objects) deleteObject(desk.machine, info, { ...request, live });
  const page = { objects, version: String(desk.machine.store.version), next: undefined, remaining: undefined };
  return { code: 200, json: desk.printer.list(info, page, formOf(call.accept, info)) };
}

function createNew(desk: Desk, call: Call): Answer {
  const { info, namespace } = call.route;
  if (info.namespaced && namespace === undefined) throw badRequest('a namespace is required');
  const body = asObject({ info, namespace }, parseJson(call.body));
  const object = create(desk.machine, { info, namespace }, { body, options: optionsOf(call) });
  return shown(desk, call, { object, created: true });
}

function replace(desk: Desk, call: Call): Answer {
  const target = targetOf(call.route);
  const next = asObject(target, parseJson(call.body));
  const options = optionsOf(call);
  const live = mustGet(desk.machine, target);
  demandVersion(target.info, next);
  return shown(desk, call, { object: update(desk.machine, target, { live, next, options }) });
}

function patchIt(desk: Desk, call: Call): Answer {
  const target = targetOf(call.route);
  const type = (call.contentType.split(';')[0] ?? '').trim();
  const force = call.query.get('force') === 'true';
  if (type === 'application/apply-patch+yaml' && !call.query.get('fieldManager')) {
    throw invalid(target.info, target.name, [
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ]);
  }
  const options = optionsOf(call);
  return shown(desk, call, patch(desk.machine, target, { type, body: call.body, options, force }));
}

function scale(desk: Desk, call: Call): Answer {
  const target = targetOf(call.route);
  const live = mustGet(desk.machine, target);
  const answer = (object: Fields): Answer => ({ code: 200, json: JSON.stringify(object) });
  if (call.route.verb === 'get') return answer(readScale(live));
  const options = { ...optionsOf(call), subresource: 'scale' };
  const body = parseJson(call.body);
  return answer(
    readScale(writeScale(desk.machine, target, { live, body, options, isPatch: call.route.verb === 'patch' })),
  );
}

function checkSubresource(route: Route): void {
  const { subresource, info } = route;
  if (subresource === undefined || (subresource === 'status' && info.status)) return;
  if (subresource === 'scale' && info.scale) return;
  throw noSuchPath();
}

/** Answers a request for a resource, watches and logs apart; throws `ApiError` for every refusal. */
export function answer(desk: Desk, call: Call): Answer {
  const { route } = call;
  refuseDenied(desk.denials(), route);
  checkSubresource(route);
  if (route.subresource === 'scale') return scale(desk, call);
  switch (route.verb) {
    case 'get':
      return shown(desk, call, { object: mustGet(desk.machine, targetOf(route)) });
    case 'list': {
      const page = listPage(desk.machine, desk.open, { route, query: call.query });
      return { code: 200, json: desk.printer.list(route.info, page, formOf(call.accept, route.info)) };
    }
    case 'create':
      return createNew(desk, call);
    case 'update':
      return replace(desk, call);
    case 'patch':
      return patchIt(desk, call);
    case 'delete':
      return remove(desk, call);
    case 'deletecollection':
      return removeAll(desk, call);
    default:
      throw methodNotAllowed();
  }
}

/** Understands a watch; an `ApiError` in the answer is to be sent as an event, one thrown as an HTTP error. */
export function watchOf(desk: Desk, call: Call): WatchRequest | ApiError {
  const { route, query } = call;
  refuseDenied(desk.denials(), route);
  const selection = selectionOf(route, query);
  const asked = versionOf(desk.machine, query);
  const initial = query.get('sendInitialEvents') === 'true';
  const version = asked === 0 || initial ? undefined : asked;
  if (version !== undefined && version < desk.machine.store.compacted) {
    return expired(`too old resource version: ${version} (${desk.machine.store.compacted + 1})`);
  }
  const timeout = Number(query.get('timeoutSeconds') ?? '');
  const bookmarks = ['true', '1'].includes(query.get('allowWatchBookmarks') ?? '');
  return {
    info: route.info,
    selection,
    version,
    form: formOf(call.accept, route.info),
    bookmarks,
    markInitial: initial && bookmarks,
    timeout: Number.isFinite(timeout) && timeout > 0 ? timeout : undefined,
  };
}
