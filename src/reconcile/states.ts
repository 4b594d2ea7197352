import { at, type Manifest } from '../kernel/index.ts';
import { cronJobName, jobName, LABELS, publicUrl, type RenderOptions } from '../render/index.ts';
import type { Application, Service } from '../spec/index.ts';
import { deploymentVerdict } from './deployment-verdict.ts';
import type { JobRecord } from './job.ts';
import { jobVerdict } from './job-verdict.ts';

/** How one service stands, for the application's status (facts 3.10). */
export type ObservedService = {
  readonly name: string;
  readonly status:
    | 'missing'
    | 'deploying'
    | 'ready'
    | 'failed'
    | 'pending'
    | 'running'
    | 'completed'
    | 'scheduled'
    | 'stopped';
  readonly ready?: number;
  readonly desired?: number;
  readonly image?: string;
  readonly url?: string;
  /** The URL of each additional HTTP endpoint, by its name. */
  readonly endpoints?: Readonly<Record<string, string>>;
  readonly message?: string;
};

type Request = {
  readonly application: Application;
  readonly id: string;
  readonly revision: number;
  readonly options: RenderOptions;
  readonly images: Readonly<Record<string, string>>;
  /** The namespace's Deployments, ReplicaSets, Jobs, CronJobs and Pods, in any order. */
  readonly objects: readonly Manifest[];
  readonly jobs: readonly JobRecord[];
};

/** A service's own objects: a Deployment, Job or CronJob by name, and pods by label. */
function objectsOf(request: Request, name: string): readonly Manifest[] {
  return request.objects.filter((object) => {
    if (object.kind === 'Deployment') return object.metadata.name === name;
    if (object.kind === 'Job') return object.metadata.name === jobName(name);
    return object.metadata.labels?.[LABELS.service] === name;
  });
}

function jobState(request: Request, name: string): Pick<ObservedService, 'status' | 'message'> {
  const record = request.jobs.find((job) => job.service === name && job.revision === request.revision);
  if (record !== undefined) {
    if (record.result === 'succeeded') return { status: 'completed' };
    return record.message === undefined ? { status: 'failed' } : { status: 'failed', message: record.message };
  }
  const verdict = jobVerdict(objectsOf(request, name));
  if (verdict.state === 'succeeded') return { status: 'completed' };
  if (verdict.state === 'failed') return { status: 'failed', message: verdict.message };
  const status = verdict.running ? 'running' : 'pending';
  return verdict.reason === undefined ? { status } : { status, message: verdict.reason };
}

/** Runs of a schedule that are looked at (facts 3.6). */
const RUNS = 6;

/** Stopped when the file says so; otherwise as its newest finished run ended. It is pending while a release still holds it back. */
function scheduleState(request: Request, name: string, spec: Service): Omit<ObservedService, 'name'> {
  const schedule = request.objects.find((o) => o.kind === 'CronJob' && o.metadata.name === cronJobName(name));
  if (schedule === undefined) return { status: 'missing' };
  if (spec.suspended) return { status: 'stopped' };
  if (at(schedule, 'spec', 'suspend') === true) return { status: 'pending' };
  const age = (job: Manifest): string => job.metadata.creationTimestamp ?? '';
  const runs = request.objects
    .filter((object) => object.kind === 'Job' && object.metadata.labels?.[LABELS.service] === name)
    .sort((a, b) => (age(a) < age(b) ? 1 : -1))
    .slice(0, RUNS);
  const pods = request.objects.filter((object) => object.kind === 'Pod');
  const verdicts = runs.map((run) => jobVerdict([run, ...pods]));
  const last = verdicts.find((verdict) => verdict.state !== 'waiting');
  return last?.state === 'failed' ? { status: 'failed', message: last.message } : { status: 'scheduled' };
}

function serviceState(request: Request, name: string, spec: Service): Omit<ObservedService, 'name'> {
  const objects = objectsOf(request, name);
  if (!objects.some((object) => object.kind === 'Deployment')) return { status: 'missing' };
  const verdict = deploymentVerdict(objects);
  const counts = { ready: verdict.ready, desired: verdict.desired };
  if (verdict.state === 'ready') return { status: spec.suspended ? 'stopped' : 'ready', ...counts };
  if (verdict.state === 'failed') return { status: 'failed', ...counts, message: verdict.message };
  const base = { status: 'deploying' as const, ...counts };
  return verdict.reason === undefined ? base : { ...base, message: verdict.reason };
}

function stateOf(request: Request, name: string, spec: Service): Omit<ObservedService, 'name'> {
  if (spec.job === undefined) return serviceState(request, name, spec);
  return spec.job.schedule === undefined ? jobState(request, name) : scheduleState(request, name, spec);
}

/** Where people reach a public service, and its additional endpoints. */
function addresses(request: Request, name: string, spec: Service): Pick<ObservedService, 'url' | 'endpoints'> {
  if (!spec.public) return {};
  const options = { ...request.options, hasTls: spec.tls !== undefined };
  const url = publicUrl(name, request.id, options);
  if (url === undefined) return {};
  const endpoints = Object.keys(spec.http)
    .sort()
    .map((endpoint) => [endpoint, publicUrl(`${name}-${endpoint}`, request.id, options) ?? ''] as const);
  return endpoints.length === 0 ? { url } : { url, endpoints: Object.fromEntries(endpoints) };
}

/** The state of every service of the specification, sorted by name. */
export function serviceStates(request: Request): readonly ObservedService[] {
  return Object.entries(request.application.services)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => {
      const state = stateOf(request, name, spec);
      const image = request.images[name];
      return { name, ...state, ...(image === undefined ? {} : { image }), ...addresses(request, name, spec) };
    });
}
