import type { Manifest } from '../kernel/index.ts';
import { jobName, LABELS, publicUrl, type RenderOptions } from '../render/index.ts';
import type { Application } from '../spec/index.ts';
import { deploymentVerdict } from './deployment-verdict.ts';
import type { JobRecord } from './job.ts';
import { jobVerdict } from './job-verdict.ts';

/** How one service stands, for the application's status (facts 3.10). */
export type ObservedService = {
  readonly name: string;
  readonly status: 'missing' | 'deploying' | 'ready' | 'failed' | 'pending' | 'running' | 'completed';
  readonly ready?: number;
  readonly desired?: number;
  readonly image?: string;
  readonly url?: string;
  readonly message?: string;
};

type Request = {
  readonly application: Application;
  readonly id: string;
  readonly revision: number;
  readonly options: RenderOptions;
  readonly images: Readonly<Record<string, string>>;
  /** The namespace's Deployments, ReplicaSets, Jobs and Pods, in any order. */
  readonly objects: readonly Manifest[];
  readonly jobs: readonly JobRecord[];
};

/** A service's own objects: a Deployment or Job by name, and pods by label. */
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

function serviceState(request: Request, name: string): Omit<ObservedService, 'name'> {
  const objects = objectsOf(request, name);
  if (!objects.some((object) => object.kind === 'Deployment')) return { status: 'missing' };
  const verdict = deploymentVerdict(objects);
  const counts = { ready: verdict.ready, desired: verdict.desired };
  if (verdict.state === 'ready') return { status: 'ready', ...counts };
  if (verdict.state === 'failed') return { status: 'failed', ...counts, message: verdict.message };
  const base = { status: 'deploying' as const, ...counts };
  return verdict.reason === undefined ? base : { ...base, message: verdict.reason };
}

/** The state of every service of the specification, sorted by name. */
export function serviceStates(request: Request): readonly ObservedService[] {
  return Object.entries(request.application.services)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, spec]) => {
      const state = spec.job === undefined ? serviceState(request, name) : jobState(request, name);
      const image = request.images[name];
      const url = spec.public ? publicUrl(name, request.id, request.options) : undefined;
      return { name, ...state, ...(image === undefined ? {} : { image }), ...(url === undefined ? {} : { url }) };
    });
}
