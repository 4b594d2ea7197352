import type { ResourceInfo } from './resources.ts';

/** One cause inside a `Status`: the field at fault. */
export type Cause = { readonly reason?: string; readonly message: string; readonly field?: string };

/** A Kubernetes `Status` of kind failure, as the API server answers it. */
export type Status = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly code: number;
};

/**
 * A refusal on its way to the client. It is the one exception of this folder that is not a bug: an API server answers a request
 * from any depth, and `server.ts` is the only place that catches it.
 */
export class ApiError extends Error {
  readonly status: Status;
  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
}

type Extras = { readonly reason?: string; readonly details?: Readonly<Record<string, unknown>> };

/** Any refusal: HTTP code, message, reason and details. */
export function refusal(code: number, message: string, extras: Extras = {}): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...extras,
    code,
  });
}

/** `deployments.apps`: how messages name a resource. */
export function qualified(info: ResourceInfo): string {
  return info.group === '' ? info.plural : `${info.plural}.${info.group}`;
}

function details(info: ResourceInfo, name: string, causes?: readonly Cause[]): Readonly<Record<string, unknown>> {
  const base = { name, ...(info.group === '' ? {} : { group: info.group }) };
  return causes === undefined ? { ...base, kind: info.plural } : { ...base, kind: info.kind, causes };
}

export function notFound(info: ResourceInfo, name: string): ApiError {
  return refusal(404, `${qualified(info)} "${name}" not found`, { reason: 'NotFound', details: details(info, name) });
}

export function alreadyExists(info: ResourceInfo, name: string): ApiError {
  return refusal(409, `${qualified(info)} "${name}" already exists`, {
    reason: 'AlreadyExists',
    details: details(info, name),
  });
}

export function conflict(info: ResourceInfo, name: string, why: string): ApiError {
  return refusal(409, `Operation cannot be fulfilled on ${qualified(info)} "${name}": ${why}`, {
    reason: 'Conflict',
    details: details(info, name),
  });
}

/** The object was changed since it was read. */
export function stale(info: ResourceInfo, name: string): ApiError {
  return conflict(
    info,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** 422 with one cause per field. */
export function invalid(info: ResourceInfo, name: string, causes: readonly Cause[]): ApiError {
  const list = causes.map((cause) => `${cause.field ?? '<nil>'}: ${cause.message}`);
  const shown = list.length === 1 ? list[0] : `[${list.join(', ')}]`;
  const kind = info.group === '' ? info.kind : `${info.kind}.${info.group}`;
  return refusal(422, `${kind} "${name}" is invalid: ${shown}`, {
    reason: 'Invalid',
    details: details(info, name, causes),
  });
}

export function forbidden(info: ResourceInfo, name: string, why: string): ApiError {
  return refusal(403, `${qualified(info)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`, {
    reason: 'Forbidden',
    details: details(info, name),
  });
}

export function badRequest(message: string): ApiError {
  return refusal(400, message, { reason: 'BadRequest' });
}

/** 410: the version asked for is older than the history kept. */
export function expired(message: string): ApiError {
  return refusal(410, message, { reason: 'Expired' });
}

export function unsupportedMedia(message: string): ApiError {
  return refusal(415, message, { reason: 'UnsupportedMediaType' });
}

export function methodNotAllowed(): ApiError {
  return refusal(405, 'the server does not allow this method on the requested resource', {
    reason: 'MethodNotAllowed',
    details: {},
  });
}

/** 404 for a path that no resource serves. */
export function noSuchPath(): ApiError {
  return refusal(404, 'the server could not find the requested resource', { reason: 'NotFound', details: {} });
}
