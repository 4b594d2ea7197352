import { type Principal, refusal } from '../../../access/index.ts';
import { type ApplicationKey, displayApplication, fail, ok, problem, type Result } from '../../../kernel/index.ts';
import type { Change } from '../../../plan/index.ts';
import type {
  Deployment,
  DeploymentOperations,
  PlanRequest,
  Plan as PlanView,
  RequestInfo,
} from '../../../ports/api/index.ts';
import type { Release } from '../../../ports/index.ts';
import { specDigest } from '../../../spec/index.ts';
import { preflightView } from '../../preflight.ts';
import { unpackSpec } from '../../release-body.ts';
import { findApplication } from '../applications/find.ts';
import { accept, type Current, judge, readCurrent, type Wanted } from './accept.ts';
import { cancel } from './cancel.ts';
import type { ReleaseDeps } from './context.ts';
import { type Desired, desiredOf, type Read, readRequest } from './desired.ts';
import { findRelease, targetOf } from './find.ts';
import { finished, idempotencyDigest, known, type Once, onceOf } from './idempotency.ts';
import { resumeRelease } from './resume.ts';
import { changeService, type ServiceChange } from './service-change.ts';
import { deploymentOf } from './view.ts';
import { cleanupRefusal } from './volume-cleanup.ts';

/** Releases over the API (facts 6.1, 6.2, 6.5, 7.4). */
export function deploymentOperations(deps: ReleaseDeps): DeploymentOperations {
  return {
    plan: (principal, request) => planDeployment(deps, principal, request),
    create: (principal, request, info) => createDeployment(deps, principal, { request, info }),
    show: async (principal, { id }) => {
      const found = await findRelease(deps, principal, id);
      return found.ok ? ok(view(deps, found.value)) : found;
    },
    cancel: (principal, { id }, info) => cancel(deps, principal, { id, info }),
    rollback: (principal, input, info) =>
      derive(deps, principal, {
        ...ordered('rollback', input),
        info,
        desired: (now) => revisionOf(now, input.revision),
      }),
    restart: (principal, input, info) => {
      // The same request twice asks for the same restart.
      const nonce = idempotencyDigest(principal, input.idempotency_key).slice(0, 16);
      return onService(deps, principal, { input, info, change: { kind: 'restart', nonce } });
    },
    scale: (principal, input, info) =>
      onService(deps, principal, { input, info, change: { kind: 'scale', replicas: input.replicas } }),
    stop: (principal, input, info) => onService(deps, principal, { input, info, change: { kind: 'stop' } }),
    resume: (principal, input, info) => onService(deps, principal, { input, info, change: { kind: 'resume' } }),
    resumeRelease: async (principal, input, info) => {
      const resumed = await resumeRelease(deps, principal, { input, info });
      return resumed.ok ? ok(view(deps, resumed.value)) : resumed;
    },
    byIdempotencyKey: async (principal, { key }) => {
      const found = await deps.store.releases.byIdempotency(idempotencyDigest(principal, key));
      if (!found.ok) return found;
      if (found.value === undefined) return fail(problem('not_found', 'no release was made with this key'));
      const denied = refusal(principal, 'deployments:write', targetOf(found.value.name));
      return denied === undefined ? ok(view(deps, found.value)) : fail(denied);
    },
    mayFollow: (principal, id) => {
      const denied = refusal(principal, 'deployments:read', targetOf(id));
      return denied === undefined ? ok(undefined) : fail(denied);
    },
  };
}

async function planDeployment(
  deps: ReleaseDeps,
  principal: Principal,
  request: PlanRequest,
): ReturnType<DeploymentOperations['plan']> {
  const read = permittedRead(deps, principal, request);
  if (!read.ok) return read;
  const { key, application, imported } = read.value;
  const current = await readCurrent(deps, key);
  if (!current.ok) return current;
  const desired = desiredOf(request, application, current.value);
  if (!desired.ok) return desired;
  const planned = await judge(deps, principal, { key, ...desired.value, current: current.value, imported });
  if (!planned.ok) return planned;
  // What is missing is listed; a person can create it before the release.
  const refused =
    planned.value.refusals.find(({ code }) => code !== 'missing_secrets') ??
    cleanupRefusal(request.delete_service_volumes ?? [], current.value.spec, desired.value.application);
  if (refused !== undefined) return fail(refused);
  // Facts 6.1: the specification that is answered refers to them.
  const kept = await deps.secrets.addImported(key, imported);
  if (!kept.ok) return kept;
  return ok({
    application_id: current.value.application?.spec.id ?? '',
    expected_revision: current.value.revision,
    spec: { ...desired.value.application },
    changes: planned.value.changes.map(changeView),
    warnings: [...planned.value.warnings],
    required_secrets: [...planned.value.requiredSecrets],
    missing_secrets: [...(planned.value.missingSecrets ?? [])],
    ...(planned.value.preflight === undefined ? {} : { preflight: preflightView(planned.value.preflight.report) }),
  });
}

async function createDeployment(
  deps: ReleaseDeps,
  principal: Principal,
  input: { readonly request: Parameters<DeploymentOperations['create']>[1]; readonly info: RequestInfo },
): Promise<Result<Deployment>> {
  const { request, info } = input;
  const read = permittedRead(deps, principal, request);
  if (!read.ok) return read;
  const { key, application, imported } = read.value;
  const { expected_revision: expectedRevision, service = null, services = null } = request;
  const { delete_service_volumes: deletedVolumes } = request;
  const sent = [
    ...['deploy', displayApplication(key), expectedRevision, specDigest(application), service, services],
    ...(deletedVolumes === undefined ? [] : [deletedVolumes]),
  ];
  const once = onceOf(principal, request.idempotency_key, sent);
  const repeated = await answered(deps, once);
  if (!repeated.ok || repeated.value !== undefined) return repeated as Result<Deployment>;
  const current = service === null && services === null ? ok(NOTHING) : await readCurrent(deps, key);
  if (!current.ok) return current;
  const desired = desiredOf(request, application, current.value);
  if (!desired.ok) return desired;
  const accepted = await accept(deps, principal, {
    key,
    ...desired.value,
    imported,
    ...(deletedVolumes === undefined ? {} : { deletedVolumes }),
    expectedRevision,
    action: 'deploy',
    once,
    info,
  });
  return accepted.ok ? ok(view(deps, accepted.value)) : accepted;
}

const NOTHING: Current = { application: undefined, releases: [], revision: 0, spec: undefined };

/** The permission is asked before anything is read about the application, and the text before that tells nothing. */
function permittedRead(deps: ReleaseDeps, principal: Principal, request: PlanRequest): Result<Read> {
  const read = readRequest(deps, request);
  if (!read.ok) return read;
  const { project, environment, name } = read.value.key;
  const denied = refusal(principal, 'deployments:write', { project, environment, application: name });
  return denied === undefined ? read : fail(denied);
}

/** A release that follows from what the application is now. */
type Derived = {
  readonly id: string;
  readonly action: Wanted['action'];
  readonly expectedRevision: number;
  readonly idempotencyKey: string;
  /** What the caller sent. */
  readonly sent: unknown;
  readonly info: RequestInfo;
  readonly desired: (current: Current) => Result<Desired>;
};

function ordered(
  action: Wanted['action'],
  input: { readonly id: string; readonly expected_revision: number; readonly idempotency_key: string },
): Pick<Derived, 'id' | 'action' | 'expectedRevision' | 'idempotencyKey' | 'sent'> {
  const { id, expected_revision: expectedRevision, idempotency_key: idempotencyKey, ...rest } = input;
  return { id, action, expectedRevision, idempotencyKey, sent: [action, id, expectedRevision, rest] };
}

async function derive(deps: ReleaseDeps, principal: Principal, derived: Derived): Promise<Result<Deployment>> {
  const found = findApplication(deps, principal, { id: derived.id, permission: 'deployments:write' });
  if (!found.ok) return found;
  const { project, environment, name } = found.value.spec;
  const key: ApplicationKey = { project, environment, name };
  const once = onceOf(principal, derived.idempotencyKey, derived.sent);
  const repeated = await answered(deps, once);
  if (!repeated.ok || repeated.value !== undefined) return repeated as Result<Deployment>;
  const current = await readCurrent(deps, key);
  if (!current.ok) return current;
  const desired = derived.desired(current.value);
  if (!desired.ok) return desired;
  const { expectedRevision, action, info } = derived;
  const accepted = await accept(deps, principal, { key, ...desired.value, expectedRevision, action, once, info });
  return accepted.ok ? ok(view(deps, accepted.value)) : accepted;
}

/** The answer a repeated request got before. */
async function answered(deps: ReleaseDeps, once: Once): Promise<Result<Deployment | undefined>> {
  const repeated = await known(deps, once);
  if (!repeated.ok) return repeated;
  if (repeated.value === undefined) return ok(undefined);
  const release = await finished(deps, repeated.value);
  return release.ok ? ok(view(deps, release.value)) : release;
}

/** What an earlier revision ran, with the digests it ran. */
function revisionOf(current: Current, revision: number): Result<Desired> {
  const target = current.releases.find(({ spec }) => spec.revision === revision);
  if (target === undefined) return fail(problem('not_found', 'no such revision is kept'));
  const spec = unpackSpec(target.spec.spec);
  if (!spec.ok) return spec;
  const { resolved, state } = target.status;
  return state === 'succeeded' && resolved !== undefined
    ? ok({ application: spec.value, images: resolved })
    : fail(problem('invalid_request', 'only a revision that succeeded can run again', { at: 'revision' }));
}

function onService(
  deps: ReleaseDeps,
  principal: Principal,
  asked: {
    readonly input: Parameters<DeploymentOperations['restart']>[1];
    readonly info: RequestInfo;
    readonly change: ServiceChange;
  },
): Promise<Result<Deployment>> {
  const { input, info, change } = asked;
  const desired = (now: Current): Result<Desired> => changeService(now, input.service, change);
  return derive(deps, principal, { ...ordered(change.kind, input), info, desired });
}

function changeView({ keys, ...change }: Change): PlanView['changes'][number] {
  if (keys === undefined) return change;
  return { ...change, keys: { added: [...keys.added], removed: [...keys.removed], changed: [...keys.changed] } };
}

function view(deps: ReleaseDeps, release: Release): Deployment {
  const application = deps.store.applications.cached(release.spec.application);
  return deploymentOf(release, { application, source: deps.store.sources.cached(release.spec.application) });
}
