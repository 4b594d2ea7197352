import type { Service } from './application.ts';

/** Whether a service is a job that runs once with every new revision; not a scheduled one, nor one that people start (facts 1.9). */
export function isDeploymentJob({ job }: Pick<Service, 'job'>): boolean {
  return job !== undefined && job.schedule === undefined && job.invocation === undefined;
}
