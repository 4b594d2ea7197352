import type { Principal } from '../../../access/index.ts';
import { type Granted, permitRelease } from '../../../grant/index.ts';
import {
  type ApplicationKey,
  applicationName,
  digestOf,
  fail,
  LIMITS,
  ok,
  type Problem,
  problem,
  type Result,
  releaseName,
} from '../../../kernel/index.ts';
import { type Preflight, planRelease, type Plan as ReleasePlan } from '../../../plan/index.ts';
import type { RequestInfo } from '../../../ports/api/index.ts';
import type { Application as ApplicationResource, Release } from '../../../ports/index.ts';
import { type Application, type ImportedSecret, previewProblems, requiredSecrets } from '../../../spec/index.ts';
import { reserveDomains } from '../../endpoints/index.ts';
import { installationRefusals } from '../../installation-refusals.ts';
import { keptPatches } from '../../kept-patches.ts';
import { preflightOf, withReport } from '../../preflight.ts';
import { isPreview, missingSecrets } from '../../preview-environment/index.ts';
import { isEnded } from '../../release/conclude.ts';
import { packSpec, unpackSpec } from '../../release-body.ts';
import { audited } from '../audited.ts';
import { applicationLimit, requireEnvironment } from '../environments/index.ts';
import type { ReleaseDeps } from './context.ts';
import { finished, known, type Once } from './idempotency.ts';
import { cleanupRefusal } from './volume-cleanup.ts';

/** A release somebody asks for. */
export type Wanted = {
  readonly key: ApplicationKey;
  readonly application: Application;
  /** Service to image digest that is not resolved again. */
  readonly images?: Readonly<Record<string, string>>;
  /** Services whose own volumes are deleted with the release. */
  readonly deletedVolumes?: readonly string[];
  readonly expectedRevision: number;
  readonly action: NonNullable<Release['spec']['origin']['action']>;
  readonly once: Once;
  readonly info: RequestInfo;
  /** Sensitive entries of env files, which become secrets with the acceptance. */
  readonly imported?: readonly ImportedSecret[];
};

/** An application and its releases as they are now. */
export type Current = {
  /** `undefined` before its first release. */
  readonly application: ApplicationResource | undefined;
  /** Newest first. */
  readonly releases: readonly Release[];
  /** What to send as `expected_revision`. */
  readonly revision: number;
  /** The newest accepted specification. */
  readonly spec: Application | undefined;
};

/** Reads the application and its releases. */
export async function readCurrent(deps: ReleaseDeps, key: ApplicationKey): Promise<Result<Current>> {
  const name = applicationName(key);
  const application = await deps.store.applications.get(name);
  if (!application.ok) return application;
  const releases = await deps.store.releases.ofApplication(name);
  if (!releases.ok) return releases;
  const [latest] = releases.value;
  const revision = Math.max(latest?.spec.revision ?? 0, application.value?.status.acceptedRevision ?? 0);
  const spec = latest === undefined ? ok(undefined) : unpackSpec(latest.spec.spec);
  if (!spec.ok) return spec;
  return ok({ application: application.value, releases: releases.value, revision, spec: spec.value });
}

/** What a plan of this application comes to for this principal; the permission is the first thing asked. */
export async function judge(
  deps: ReleaseDeps,
  principal: Principal,
  input: {
    readonly key: ApplicationKey;
    readonly application: Application;
    readonly current: Current;
    readonly imported?: readonly ImportedSecret[] | undefined;
  },
): Promise<Result<Judged>> {
  const { key, application, current, imported = [] } = input;
  const kept = keptPatches(current.releases);
  if (!kept.ok) return kept;
  const permitted = permitRelease({
    principal,
    key,
    application,
    previous: kept.value,
    patchesEnabled: deps.settings.cached('kubernetesPatches').value.enabled,
  });
  if (!permitted.ok) return permitted;
  return plan(deps, key, { permitted: permitted.value, current, imported });
}

async function plan(
  deps: ReleaseDeps,
  key: ApplicationKey,
  input: {
    readonly permitted: Granted<Application>;
    readonly current: Current;
    readonly imported: readonly ImportedSecret[];
  },
): Promise<Result<Judged>> {
  const { permitted, current, imported } = input;
  const coming = new Set(imported.map(({ ref }) => ref));
  const needed = requiredSecrets(permitted.value).filter((name) => !coming.has(name));
  const { application } = current;
  const parent = application !== undefined && isPreview(application) ? application.spec.preview.parent : undefined;
  const missing = await missingSecrets(deps, { key, parent }, needed);
  if (!missing.ok) return missing;
  const id = current.application?.spec.id;
  const installation = await installationRefusals(deps, { key, id, application: permitted.value });
  if (!installation.ok) return installation;
  const planned = planRelease({ granted: permitted, previous: current.spec, missingSecrets: missing.value });
  const refusals = [...planned.refusals, ...installation.value, ...previewRefusals(deps, permitted.value, current)];
  return judgeCapacity(deps, { ...planned, refusals }, { id, application: permitted.value });
}

/** Facts 2.10 and 4.9: whatever somebody deploys to a preview stays one, and only until its end. */
function previewRefusals(deps: ReleaseDeps, application: Application, current: Current): readonly Problem[] {
  const preview = current.application?.spec.preview;
  if (preview === undefined) return [];
  const isOver =
    current.application?.deleting === true || !(deps.clock.now().getTime() < Date.parse(preview.expiresAt));
  return [...(isOver ? [problem('preview_expired')] : []), ...previewProblems(application)];
}

/** A plan with what the cluster says of it. */
export type Judged = ReleasePlan & {
  /** Absent when the application is refused already, however much room there is. */
  readonly preflight?: Preflight;
};

/** Adds the preflight: what blocks refuses, what is not known warns (facts 11.1). */
async function judgeCapacity(
  deps: ReleaseDeps,
  planned: ReleasePlan,
  question: { readonly id: string | undefined; readonly application: Application },
): Promise<Result<Judged>> {
  if (planned.refusals.some(({ code }) => code !== 'missing_secrets')) return ok(planned);
  const judged = await preflightOf(deps, question);
  if (!judged.ok) return judged;
  const preflight = judged.value;
  return ok({
    ...planned,
    preflight,
    warnings: [...planned.warnings, ...preflight.warnings],
    refusals: [...planned.refusals, ...preflight.problems.map((one) => withReport(one, preflight))],
  });
}

/**
 * Accepts a release (facts 6.2). The revision is taken by one compare-and-set on the application, so of any number of requests that expect
 * the same revision one wins and the others get `conflict`; the same request sent twice at once gets the release that one of them made.
 * Refused means nothing was written. Codes: those of the plan, `conflict`, `queue_full`, `application_limit`, `missing_secrets`.
 */
export async function accept(deps: ReleaseDeps, principal: Principal, wanted: Wanted): Promise<Result<Release>> {
  const { key, application, once, info } = wanted;
  const by = { principal, info };
  const current = await readCurrent(deps, key);
  if (!current.ok) return current;
  const planned = await judge(deps, principal, { key, application, current: current.value, imported: wanted.imported });
  if (!planned.ok) return planned;
  const place = await requireEnvironment(deps, by, { key, write: false });
  if (!place.ok) return place;
  const refused =
    planned.value.refusals[0] ??
    cleanupRefusal(wanted.deletedVolumes ?? [], current.value.spec, application) ??
    unbuildable(application, wanted.images ?? {}) ??
    overLimit(deps, current.value, key);
  if (refused !== undefined) return fail(refused);
  if (current.value.revision !== wanted.expectedRevision) return lost(deps, key, once);

  const made = await requireEnvironment(deps, by, { key, write: true });
  if (!made.ok) return made;
  const kept = await deps.secrets.addImported(key, wanted.imported ?? []);
  if (!kept.ok) return kept;
  const taken = await takeRevision(deps, { current: current.value, key, digest: once.digest });
  if (!taken.ok) return taken.problem.code === 'conflict' ? lost(deps, key, once) : taken;
  const revision = taken.value.status.acceptedRevision ?? 1;
  const reserved = await reserveDomains(deps, { application: taken.value, revision, desired: application });
  if (!reserved.ok) return reserved;
  const created = await createRelease(deps, principal, { wanted, application: taken.value });
  if (!created.ok) return created.problem.code === 'already_exists' ? lost(deps, key, once) : created;
  await audited(deps, by, {
    action: `deployment.${wanted.action === 'deploy' ? 'accept' : wanted.action}`,
    resource: {
      kind: 'Deployment',
      project: key.project,
      environment: key.environment,
      application: key.name,
      name: created.value.name,
    },
    before: current.value.spec,
    after: application,
  });
  return finished(deps, created.value);
}

/** Images are built from a Git source only; a service that was built is deployed again by the digest it has. */
function unbuildable(application: Application, images: Readonly<Record<string, string>>): Problem | undefined {
  const built = Object.keys(application.services)
    .sort()
    .find((name) => application.services[name]?.build !== undefined && !Object.hasOwn(images, name));
  return built === undefined
    ? undefined
    : problem('unsupported_feature', 'images are built from a Git source only; name an image', {
        at: `services.${built}.build`,
      });
}

function overLimit(deps: ReleaseDeps, current: Current, key: ApplicationKey): Problem | undefined {
  if (current.releases.filter((release) => !isEnded(release)).length >= LIMITS.pendingReleases)
    return problem('queue_full', undefined, { afterMs: 5000 });
  return current.application === undefined ? applicationLimit(deps, key) : undefined;
}

/** Somebody else took the revision: perhaps this very request, sent twice. */
async function lost(deps: ReleaseDeps, key: ApplicationKey, once: Once): Promise<Result<Release>> {
  const application = await deps.store.applications.get(applicationName(key));
  const isOurs = application.ok && application.value?.status.acceptedFor === once.digest;
  // The other request creates its release in the next moment, or never.
  for (let look = 0; look < (isOurs ? TWIN_LOOKS : 1); look += 1) {
    if (look > 0) await deps.clock.sleep(TWIN_MS);
    const twin = await known(deps, once);
    if (!twin.ok) return twin;
    if (twin.value !== undefined) return finished(deps, twin.value);
  }
  return fail(problem('conflict', 'the application has another revision than expected; plan again'));
}

const TWIN_LOOKS = 40;
const TWIN_MS = 50;

/** The compare-and-set: the accepted revision goes from the expected one to the next. A new application is made first, with nothing in it. */
async function takeRevision(
  deps: ReleaseDeps,
  input: { readonly current: Current; readonly key: ApplicationKey; readonly digest: string },
): Promise<Result<ApplicationResource>> {
  const { current, key, digest } = input;
  const name = applicationName(key);
  if (current.application === undefined) {
    const { project, environment, name: own } = key;
    const spec = { id: deps.random.hex(16), project, environment, name: own };
    const created = await deps.store.applications.create({ name, spec });
    if (!created.ok && created.problem.code !== 'already_exists') return created;
  }
  const accepted = current.revision + 1;
  let isTaken = false;
  const written = await deps.store.applications.updateStatus(name, (live) => {
    isTaken = (live.status.acceptedRevision ?? 0) >= accepted || live.deleting;
    if (isTaken) return undefined;
    return {
      ...live.status,
      acceptedRevision: accepted,
      acceptedAt: deps.clock.now().toISOString(),
      acceptedFor: digest,
      phase: 'queued',
    };
  });
  if (!written.ok) return written;
  return isTaken ? fail(problem('conflict')) : written;
}

async function createRelease(
  deps: ReleaseDeps,
  principal: Principal,
  input: {
    readonly wanted: Wanted;
    readonly application: ApplicationResource;
  },
): Promise<Result<Release>> {
  const { wanted, application } = input;
  const revision = application.status.acceptedRevision ?? 1;
  // Whatever a source has deployed until now stays undone until it has something new.
  const source = deps.store.sources.cached(application.name);
  const holds = source?.deleting === false ? source.status.seen?.commit : undefined;
  return deps.store.releases.create({
    name: releaseName(application.name, revision),
    spec: {
      application: application.name,
      applicationId: application.spec.id,
      revision,
      specDigest: digestOf(wanted.application),
      spec: packSpec(wanted.application),
      origin: {
        kind: 'api',
        actor: principal.identity,
        identity: principal.identity,
        ...(principal.key === undefined ? {} : { key: principal.key.id }),
        action: wanted.action,
        via: wanted.info.origin,
        ...(holds === undefined ? {} : { holds }),
      },
      idempotency: wanted.once.digest,
      requestHash: wanted.once.hash,
      ...(wanted.images === undefined ? {} : { images: { ...wanted.images } }),
      ...(wanted.deletedVolumes === undefined ? {} : { deletedVolumes: [...wanted.deletedVolumes] }),
    },
  });
}
