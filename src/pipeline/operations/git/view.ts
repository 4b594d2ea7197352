import { applicationName, type DeployGrant, releaseName } from '../../../kernel/index.ts';
import type { Grant, Repository, Source, Webhook } from '../../../ports/api/index.ts';
import type { GitRepository, GitSource, HookEvent, HookState } from '../../../ports/index.ts';
import { grantState } from '../../grant-expiry.ts';
import { hookPath, hookUrl, pollSeconds, wantedEvents } from '../../hooks/index.ts';
import { reportsOf } from '../../ledger.ts';
import { currentWait } from '../../policy/waiting.ts';
import type { GitDeps } from './context.ts';
import { previewsOf } from './source-previews.ts';

/** Commits shown with a source. */
const SHOWN = 10;

/** A repository without its token. */
export function repositoryView({ name, spec, status, createdAt }: GitRepository): Repository {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return {
    name,
    provider: spec.forge,
    url: spec.url,
    repository_id: spec.repositoryId,
    repository: spec.project,
    ...(spec.apiUrl === undefined ? {} : { api_url: spec.apiUrl }),
    local: spec.local === true,
    ...spec.scope,
    token_configured: spec.credentialsSecret !== undefined,
    interval_seconds: spec.intervalSeconds,
    poll_seconds: pollSeconds({ spec, status }),
    webhook_health: status.webhook?.health ?? 'unknown',
    webhook_path: hookPath({ spec }),
    status: ready === undefined ? 'new' : ready.status === 'True' ? 'ready' : 'not_ready',
    ...(ready === undefined || ready.status === 'True' ? {} : { message: ready.message }),
    created_at: createdAt,
  };
}

/** What to enter at the forge, but for the secret. */
export function webhookView(
  deps: Pick<GitDeps, 'publicUrl' | 'store'>,
  repository: GitRepository,
  configured: boolean,
): Webhook {
  const { spec, status } = repository;
  const path = hookPath({ spec });
  const url = deps.publicUrl === undefined ? {} : { url: hookUrl(deps.publicUrl, { spec }) };
  return {
    path,
    ...url,
    auth: spec.webhookAuth,
    events: eventsOf(deps, repository),
    configured,
    ...(status.lastDeliveryAt === undefined ? {} : { last_delivery_at: status.lastDeliveryAt }),
    ...(status.webhook?.rotatedAt === undefined ? {} : { rotating_since: status.webhook.rotatedAt }),
    poll_seconds: pollSeconds({ spec, status }),
    forge: atForge(status.webhook ?? { health: 'unknown' }),
  };
}

/** What to switch on at the forge, in its own words; pushed tags come with GitHub's pushes. */
const WORDS: Readonly<Record<GitRepository['spec']['forge'], Readonly<Partial<Record<HookEvent, string>>>>> = {
  github: { push: 'push', pull_request: 'pull request', comment: 'issue comment' },
  gitlab: { push: 'push', tag_push: 'tag push', pull_request: 'merge request', comment: 'comment' },
};

function eventsOf(deps: Pick<GitDeps, 'store'>, repository: GitRepository): string[] {
  const words = WORDS[repository.spec.forge];
  return wantedEvents(deps, repository).flatMap((event) => words[event] ?? []);
}

function atForge(state: HookState): Webhook['forge'] {
  const { health, faults = [], id, url, events, lastDelivery, code, installedAt, checkedAt } = state;
  return {
    health,
    faults,
    ...(id === undefined ? {} : { id }),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events }),
    ...(lastDelivery === undefined ? {} : { last_delivery: lastDelivery }),
    ...(code === undefined ? {} : { code }),
    ...(installedAt === undefined ? {} : { installed_at: installedAt }),
    ...(checkedAt === undefined ? {} : { checked_at: checkedAt }),
  };
}

/** A source, its grant and its last commits. */
export function sourceView(deps: Pick<GitDeps, 'store' | 'clock' | 'grantWarningMs'>, source: GitSource): Source {
  const { spec, status, name } = source;
  const application = deps.store.applications.cached(name);
  const repository = deps.store.repositories.cached(spec.repository);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const { planned, released, seen } = status;
  const failed = ready?.status === 'False' ? ready.message : undefined;
  return {
    id: name,
    project: spec.application.project,
    environment: spec.application.environment,
    application: spec.application.name,
    ...(application === undefined ? {} : { application_id: application.spec.id }),
    repository: spec.repository,
    ...(repository === undefined ? {} : { repository_path: repository.spec.project }),
    ref: spec.ref,
    path: spec.path,
    revision: source.generation,
    suspended: spec.suspended === true,
    drift: spec.drift ?? 'correct',
    deployments: spec.deployments === true,
    previews: previewsOf(spec),
    state: stateOf(source),
    ...(ready === undefined ? {} : { message: ready.message }),
    grant: grantView(deps, spec.grant),
    ...(seen === undefined ? {} : { last_commit: seen.commit }),
    ...(planned === undefined
      ? {}
      : {
          last_plan: {
            commit_sha: planned.commit,
            outcome: planned.outcome,
            ...(planned.code === undefined ? {} : { code: planned.code }),
            ...(planned.message === undefined ? {} : { message: planned.message }),
            at: planned.at,
          },
        }),
    policy: spec.policy ?? { mode: 'automatic', checks: [], freeze: [] },
    ...waitView(source),
    ...(released === undefined
      ? {}
      : { last_deployment: releaseName(applicationName(spec.application), released.revision) }),
    ...(failed === undefined ? {} : { last_error: failed }),
    reports: reportsOf(source)
      .slice(-SHOWN)
      .reverse()
      .map((report) => ({
        commit_sha: report.commit,
        outcome: report.desired.outcome,
        description: report.desired.description,
        posted: report.posted !== undefined,
        at: report.at,
      })),
    created_at: source.createdAt,
  };
}

function waitView(source: GitSource): Pick<Source, 'waiting'> {
  const waiting = currentWait(source);
  if (waiting === undefined) return {};
  const { commit, digest, check, until, since } = waiting;
  return {
    waiting: {
      for: waiting.for,
      commit_sha: commit,
      digest,
      ...(check === undefined ? {} : { check }),
      ...(until === undefined ? {} : { until }),
      since,
    },
  };
}

function stateOf(source: GitSource): string {
  const { deleting, spec, status } = source;
  if (deleting) return 'removing';
  if (spec.suspended === true) return 'suspended';
  if (status.planned?.outcome === 'held' && status.planned.commit === status.seen?.commit) return 'held';
  if (currentWait(source) !== undefined) return 'waiting';
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready === undefined ? 'new' : ready.status === 'True' ? 'ready' : ready.reason;
}

/** A grant in the words of the wire. */
export function grantView(deps: Pick<GitDeps, 'clock' | 'grantWarningMs'>, grant: DeployGrant): Grant {
  const { services, replicas, cpuMillis, memoryBytes } = grant.limits;
  const state = grantState(grant, deps.clock.now(), deps.grantWarningMs);
  return {
    owner: grant.owner,
    revision: grant.revision,
    permissions: grant.permissions,
    refs: grant.refs,
    path: grant.path,
    domains: grant.domains,
    registries: grant.registries,
    build_args: grant.buildArgs,
    limits: {
      ...(services === undefined ? {} : { services }),
      ...(replicas === undefined ? {} : { replicas }),
      ...(cpuMillis === undefined ? {} : { cpu_millis: cpuMillis }),
      ...(memoryBytes === undefined ? {} : { memory_bytes: memoryBytes }),
    },
    pull_requests: grant.pullRequests,
    expires_at: grant.expiresAt,
    expired: state === 'expired',
    expires_soon: state === 'expiring',
  };
}
