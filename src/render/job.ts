import type { Manifest } from '../kernel/index.ts';
import type { Job, Service } from '../spec/index.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, operationAnnotation, serviceLabels } from './labels.ts';
import { cronJobName, jobName, namespaceName } from './names.ts';
import { renderPodTemplate } from './pod.ts';

/** Which revision it runs for, and which attempt created it. */
function marks(input: RenderInput): Record<string, string> {
  return {
    ...operationAnnotation(input),
    [ANNOTATIONS.jobRevision]: String(input.revision),
    [ANNOTATIONS.jobCreation]: input.creationId,
  };
}

function jobSpec(input: RenderInput, name: string, options: { service: Service; job: Job }): object {
  const { service, job } = options;
  return {
    completions: 1,
    parallelism: 1,
    backoffLimit: job.retries,
    activeDeadlineSeconds: job.timeout_seconds,
    suspend: false,
    template: renderPodTemplate(input, name, { service, restartPolicy: 'Never' }),
  };
}

/**
 * The Job of a deployment job: one completion within its deadline (facts 3.6). The annotations say for which revision it runs and which
 * attempt created it; the rest of a Job can not be changed once it exists.
 */
export function renderJob(input: RenderInput, name: string, options: { service: Service; job: Job }): Manifest {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(name),
      namespace: namespaceName(input.id),
      labels: serviceLabels(input.id, name),
      annotations: marks(input),
    },
    spec: jobSpec(input, name, options),
  };
}

/**
 * The CronJob of a scheduled job, as it is once the whole release has been reconciled; until then it is kept suspended (facts 3.6). Its
 * Jobs carry the service's labels, so that they are found, but no mark of a release: they belong to the CronJob.
 */
export function renderCronJob(
  input: RenderInput,
  name: string,
  options: { service: Service; job: Job; schedule: NonNullable<Job['schedule']> },
): Manifest {
  const { service, job, schedule } = options;
  const labels = serviceLabels(input.id, name);
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: cronJobName(name), namespace: namespaceName(input.id), labels, annotations: marks(input) },
    spec: {
      schedule: schedule.cron,
      timeZone: schedule.timezone,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 60,
      successfulJobsHistoryLimit: schedule.history_limit,
      failedJobsHistoryLimit: schedule.history_limit,
      suspend: service.suspended,
      jobTemplate: { metadata: { labels }, spec: jobSpec(input, name, { service, job }) },
    },
  };
}
