import type { Manifest } from '../../src/kernel/index.ts';
import type { ReleaseStep } from '../../src/reconcile/index.ts';
import { cronJobName, jobName, RENDERED_KINDS } from '../../src/render/index.ts';

/*
 * At which request of a worker a step of a release begins, is under way and has ended, told from what the API server is asked and holds.
 * Steps that write are told by their objects, the others by the steps on the release's record.
 */

export type When = 'before' | 'during' | 'after';

/** What can be seen of one release from the API server. */
export type Sight = {
  readonly objects: () => readonly Manifest[];
  /** Of the application. */
  readonly namespace: string;
  /** Name of the release. */
  readonly release: string;
};

type Write = { readonly object: Manifest; readonly previous: Manifest | undefined };
type Request = { readonly verb: string; readonly resource: string; readonly namespace?: string | undefined };

/** When to kill: at a write, which is refused then, or at a request, which is cut off. */
export type Moment = {
  readonly title: string;
  readonly atWrite?: (write: Write, sight: Sight) => boolean;
  readonly atRequest?: (request: Request & { readonly name: string | undefined }, sight: Sight) => boolean;
  /** Only the second release of an application has something to prune. */
  readonly needsEarlierRelease?: boolean;
};

type Matches = (object: Manifest) => boolean;

const KINDS: Readonly<Record<string, string>> = {
  namespace: 'Namespace',
  'network-policies': 'NetworkPolicy',
  quota: 'ResourceQuota',
  claims: 'PersistentVolumeClaim',
  services: 'Service',
};

/** The object that tells a step; `undefined` for steps that write none. */
function objectOf(step: ReleaseStep): Matches | undefined {
  const named =
    (kind: string, name: string): Matches =>
    (object) =>
      object.kind === kind && object.metadata.name === name;
  switch (step.kind) {
    case 'service':
      return named('Deployment', step.service);
    case 'job':
      return named('Job', jobName(step.service));
    case 'schedule':
      return named('CronJob', cronJobName(step.service));
    case 'ingress':
      return named('Ingress', step.service);
    case 'schedules':
      return ({ kind, spec }) => kind === 'CronJob' && (spec as { suspend?: boolean }).suspend === false;
    default: {
      const kind = KINDS[step.kind];
      return kind === undefined ? undefined : (object) => object.kind === kind;
    }
  }
}

function isIn(sight: Sight, { kind, metadata }: Manifest): boolean {
  return kind === 'Namespace' ? metadata.name === sight.namespace : metadata.namespace === sight.namespace;
}

type Status = {
  readonly state?: string;
  readonly steps?: readonly { readonly name: string; readonly state: string }[];
};

function statusOf(sight: Sight): Status {
  const found = sight.objects().find(({ kind, metadata }) => kind === 'Release' && metadata.name === sight.release);
  return (found?.status ?? {}) as Status;
}

function stands(sight: Sight, step: string, states: readonly string[] = ['done']): boolean {
  return statusOf(sight).steps?.some(({ name, state }) => name === step && states.includes(state)) === true;
}

/** The moment of a step. */
export function momentOf(step: ReleaseStep, { when, title }: { readonly when: When; readonly title: string }): Moment {
  const matches = objectOf(step);
  if (matches === undefined) return { title, ...recordMoment(step, when) };
  if (when === 'before') return { title, atWrite: ({ object }, sight) => isIn(sight, object) && matches(object) };
  // A workload has ended its step when the record says so; a written object ends the others, and begins the wait.
  if (when === 'after' && (step.kind === 'service' || step.kind === 'job'))
    return { title, atRequest: (_request, sight) => stands(sight, step.name) };
  return {
    title,
    atRequest: (_request, sight) => sight.objects().some((object) => isIn(sight, object) && matches(object)),
  };
}

/** Steps without an object of their own. */
function recordMoment(step: ReleaseStep, when: When): Omit<Moment, 'title'> {
  const isBefore = when === 'before';
  switch (step.kind) {
    case 'secrets':
      if (isBefore) return { atRequest: (_request, sight) => statusOf(sight).state === 'running' };
      return { atRequest: (_request, sight) => stands(sight, 'secrets') };
    case 'images':
      return { atRequest: (_request, sight) => stands(sight, 'images', isBefore ? ['running', 'done'] : ['done']) };
    case 'prune':
      return {
        needsEarlierRelease: true,
        atRequest: ({ verb, resource, namespace, name }, sight) =>
          isBefore
            ? verb === 'delete' && resource === 'deployments' && namespace === sight.namespace && name === 'old'
            : stands(sight, 'service:web') && !hasOld(sight),
      };
    case 'finish':
      if (!isBefore) return { atRequest: (_request, sight) => statusOf(sight).state === 'succeeded' };
      return {
        atWrite: ({ object }, sight) =>
          object.kind === 'Release' &&
          object.metadata.name === sight.release &&
          (object.status as Status | undefined)?.state === 'succeeded',
      };
    default:
      throw new Error(`no moment is known for the step ${step.name}: say by what it can be told`);
  }
}

function hasOld(sight: Sight): boolean {
  return sight
    .objects()
    .some((object) => object.kind === 'Deployment' && isIn(sight, object) && object.metadata.name === 'old');
}

/**
 * What is in an application's namespace, without what differs between applications, attempts and moments. The controller's revision of a Deployment stays: one that
 * was rolled again would have a higher one.
 */
export function essences(sight: Sight): readonly unknown[] {
  const id = sight.namespace.replace(/^hp-/, '');
  const [, , name = '', revision = ''] = sight.release.split('.');
  const kinds = new Set<string>(RENDERED_KINDS.map(({ kind }) => kind));
  const chosen = sight.objects().filter((object) => kinds.has(object.kind) && isIn(sight, object));
  return chosen
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ kind, metadata, spec, data }) => {
      const { labels, annotations = {} } = metadata;
      const { 'hakopod.io/operation': _operation, 'hakopod.io/job-creation': _creation, ...marks } = annotations;
      return { kind, name: metadata.name, labels, marks, spec, data };
    })
    .map((object) => neutral(JSON.stringify(object), { id, name, revision }))
    .sort()
    .map((text): unknown => JSON.parse(text));
}

/** Names of snapshots and hosts have digests of the application's identity in them. */
function neutral(text: string, own: { readonly id: string; readonly name: string; readonly revision: string }): string {
  return text
    .replaceAll(own.id, 'ID')
    .replaceAll(own.id.slice(0, 12), 'ID12')
    .replaceAll(`"hakopod.io/application-name":"${own.name}"`, '"hakopod.io/application-name":"NAME"')
    .replaceAll(`hakopod.io/revision":"${own.revision}"`, 'hakopod.io/revision":"N"')
    .replaceAll(`hakopod.io/job-revision":"${own.revision}"`, 'hakopod.io/job-revision":"N"')
    .replace(/-(files|environment)-[0-9a-f]{16}"/g, '-$1-DIGEST"')
    .replace(/"10(\.\d{1,3}){3}"/g, '"IP"')
    .replace(/"(controller-uid|batch.kubernetes.io\/controller-uid)":"[^"]*"/g, '"$1":"UID"')
    .replace(/"volumeName":"[^"]*"/g, '"volumeName":"V"');
}
