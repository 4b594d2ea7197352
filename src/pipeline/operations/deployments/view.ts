import type { Deployment, DeploymentEvent, DeploymentSummary } from '../../../ports/api/index.ts';
import type { Application as ApplicationResource, GitSource, Release } from '../../../ports/index.ts';
import type { Application } from '../../../spec/index.ts';
import { holdOf } from '../../hold.ts';
import { isEnded } from '../../release/conclude.ts';
import { RECOVERY } from '../../release/recover.ts';
import { unpackSpec } from '../../release-body.ts';

/** Events answered of one release (facts 6.3). */
const EVENTS = 200;
const MESSAGE = 2048;

/** A release in a list. `application` is the one it is of, as far as it still exists. */
export function summaryOf(release: Release, application: ApplicationResource | undefined): DeploymentSummary {
  const { spec, status } = release;
  const { origin } = spec;
  const { source, ref, commit } = origin;
  return {
    id: release.name,
    application_id: spec.applicationId,
    identity_id: origin.identity ?? origin.actor,
    revision: spec.revision,
    status: status.state ?? 'queued',
    origin: origin.kind === 'api' ? (origin.via ?? 'api') : 'git',
    ...(source === undefined ? {} : { source }),
    ...(ref === undefined ? {} : { ref }),
    ...(commit === undefined ? {} : { commit_sha: commit }),
    ...(status.code === undefined ? {} : { error_code: status.code }),
    ...(status.message === undefined ? {} : { error: status.message }),
    cancel_requested: !isEnded(release) && application?.status.cancelled?.includes(spec.revision) === true,
    created_at: release.createdAt,
    ...(status.startedAt === undefined ? {} : { started_at: status.startedAt }),
    ...(status.finishedAt === undefined ? {} : { finished_at: status.finishedAt }),
  };
}

/** A release whole. A body that can not be read is shown as an empty specification. */
export function deploymentOf(
  release: Release,
  around: { readonly application: ApplicationResource | undefined; readonly source: GitSource | undefined },
): Deployment {
  const { application, source } = around;
  const unpacked = unpackSpec(release.spec.spec);
  const spec = unpacked.ok ? unpacked.value : undefined;
  const { resolved } = release.status;
  const isCurrent = application !== undefined && application.status.acceptedRevision === release.spec.revision;
  const holds = isCurrent && source !== undefined && holdOf(source, release) !== undefined;
  return {
    ...summaryOf(release, application),
    spec: { ...spec },
    resolved_spec: spec === undefined || resolved === undefined ? null : { ...withImages(spec, release) },
    ...(isCurrent ? { result: observationOf(application) } : {}),
    events: [...eventsOf(release)],
    ...recoveryOf(release),
    ...(holds ? { held_source: source.name } : {}),
  };
}

function recoveryOf({
  status,
}: Release): Pick<Deployment, 'recovery_state' | 'recovery_revision' | 'recovery_error' | 'resume_generation'> {
  const { recovery, resumed } = status;
  return {
    recovery_state: recovery?.state ?? '',
    ...(recovery?.revision === undefined ? {} : { recovery_revision: recovery.revision }),
    ...(recovery?.message === undefined ? {} : { recovery_error: recovery.message }),
    ...(resumed === undefined ? {} : { resume_generation: resumed.generation }),
  };
}

/** What was last seen of an application's services. */
export function observationOf({ status }: ApplicationResource): NonNullable<Deployment['result']> {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return {
    status: status.phase ?? 'queued',
    ...(ready === undefined ? {} : { observed_at: ready.lastTransitionTime }),
    revision: status.revision ?? 0,
    services: (status.services ?? []).map((service) => ({ ...service })),
    ...(status.drift === undefined ? {} : { drift: status.drift }),
  };
}

/** What was resolved in place of what was asked for: digests, and the credentials that opened them (facts 5.8). */
function withImages(spec: Application, { status }: Release): Application {
  const { resolved = {}, credentials = {} } = status;
  const services = Object.entries(spec.services).map(([name, service]) => {
    const image = Object.hasOwn(resolved, name) ? resolved[name] : undefined;
    const { build: _, ...rest } = service;
    const opened = Object.hasOwn(credentials, name) ? { registry_credential: credentials[name] ?? '' } : {};
    return [name, image === undefined ? service : { ...rest, image, ...opened }] as const;
  });
  return { ...spec, services: Object.fromEntries(services) };
}

/**
 * What happened to a release, oldest first, at most the last 200 (facts 6.3). Each step began and, unless it goes on, came to something; an
 * event keeps its id and its place while others follow.
 */
export function eventsOf(release: Release): readonly DeploymentEvent[] {
  const { status } = release;
  const steps = (status.steps ?? []).flatMap((step) => eventsOfStep(step));
  const end =
    status.finishedAt === undefined || status.state === undefined
      ? []
      : [
          event(`${status.state}${generationOf(release)}`, status.finishedAt, {
            type: status.state,
            message: status.message ?? status.state,
          }),
        ];
  return [
    event('queued', release.createdAt, { type: 'queued', message: `accepted as revision ${release.spec.revision}` }),
    ...(status.startedAt === undefined
      ? []
      : [event('running', status.startedAt, { type: 'running', message: 'started' })]),
    ...[...steps, ...eventsOfRecovery(release), ...eventsOfResuming(release)].sort((a, b) =>
      a.time < b.time ? -1 : a.time > b.time ? 1 : 0,
    ),
    ...end,
  ].slice(-EVENTS);
}

/** A release that was resumed ends once more, and that is another event. */
function generationOf({ status }: Release): string {
  return status.resumed === undefined ? '' : `/${status.resumed.generation}`;
}

/** Facts 6.3. */
const RECOVERY_EVENTS = {
  running: 'recovery_started',
  succeeded: 'recovered',
  failed: 'recovery_failed',
  skipped: 'recovery_skipped',
} as const;

function eventsOfRecovery({ status }: Release): readonly DeploymentEvent[] {
  const { recovery } = status;
  if (recovery === undefined) return [];
  const { state, revision, message, startedAt, finishedAt } = recovery;
  const back = revision === undefined ? 'the previous revision' : `revision ${revision}`;
  const began = event('recovery_started', startedAt, { type: 'recovery_started', message: `putting ${back} back` });
  const type = RECOVERY_EVENTS[state];
  const texts = {
    succeeded: `${back} was put back`,
    failed: `${back} could not be put back`,
    skipped: `${back} was not put back`,
  };
  if (state === 'running' || finishedAt === undefined) return [began];
  const text = `${texts[state]}${message === undefined ? '' : `: ${message}`}`;
  return [...(state === 'skipped' ? [] : [began]), event(type, finishedAt, { type, message: text })];
}

function eventsOfResuming({ status }: Release): readonly DeploymentEvent[] {
  const { resumed } = status;
  if (resumed === undefined) return [];
  const { generation, services, at } = resumed;
  const what = services.length === 0 ? 'what follows the services' : services.join(', ');
  return [event(`resume_queued/${generation}`, at, { type: 'resume_queued', message: `resumed for ${what}` })];
}

type Step = NonNullable<Release['status']['steps']>[number];

function eventsOfStep(step: Step): readonly DeploymentEvent[] {
  const own = step.name.startsWith(RECOVERY) ? step.name.slice(RECOVERY.length) : step.name;
  const service = own.startsWith('service:') ? own.slice('service:'.length) : undefined;
  const one = (state: Step['state'], time: string, message: string): DeploymentEvent =>
    event(`${step.name}/${state}`, time, {
      type: eventType(own, state),
      message,
      ...(service === undefined ? {} : { service }),
    });
  const began = one('running', step.startedAt ?? step.at, `${step.name}: running`);
  return step.state === 'running'
    ? [began]
    : [began, one(step.state, step.at, step.message ?? `${step.name}: ${step.state}`)];
}

function event(id: string, time: string, rest: Omit<DeploymentEvent, 'id' | 'time'>): DeploymentEvent {
  return { id, time, ...rest, message: rest.message.slice(0, MESSAGE) };
}

function eventType(step: string, state: string): string {
  if (state === 'failed' || state === 'refused' || state === 'timed_out') return 'failed';
  if (step === 'images') return state === 'done' ? 'resolved' : 'running';
  if (step === 'foundation') return state === 'done' ? 'policy' : 'applying';
  if (step.startsWith('service:')) return state === 'done' ? 'ready' : state === 'skipped' ? 'skipped' : 'applying';
  return 'running';
}
