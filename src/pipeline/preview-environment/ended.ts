import type { Job } from '../../ports/index.ts';
import type { Deps } from '../context.ts';
import { planName } from '../preview/plans.ts';
import { isOverdue } from './due.ts';
import { isPreview, type Preview } from './names.ts';

/** The job that looks at the request of an environment again. */
export function requestJob({ spec: { preview } }: Preview): Job {
  return { queue: 'preview', repository: preview.repository, number: preview.number };
}

/** Who waits for the end of an environment: its own request, and those of the project that found no place. */
export function jobsAfterRemoval(deps: Pick<Deps, 'store'>, application: Preview): readonly Job[] {
  const waiting = deps.store.plans
    .all()
    .filter(({ spec, status }) => {
      const isOfProject = spec.application.project === application.spec.project;
      return isOfProject && status.environment?.state === 'limited' && status.closed !== true;
    })
    .map(({ spec }): Job => ({ queue: 'preview', repository: spec.repository, number: spec.number }));
  return [requestJob(application), ...waiting];
}

/** The requests of environments that nothing keeps any more, or whose time has come: derived from the custom resources alone. */
export function strayPreviews(deps: Pick<Deps, 'store' | 'clock'>): readonly Job[] {
  const now = deps.clock.now();
  return deps.store.applications
    .all()
    .filter(isPreview)
    .filter((application) => {
      const { source: of, sourceUid, number } = application.spec.preview;
      const isKept =
        deps.store.sources.cached(of)?.uid === sourceUid && deps.store.plans.cached(planName(of, number)) !== undefined;
      return !application.deleting && (!isKept || isOverdue(application, now));
    })
    .map(requestJob);
}

/** Puts on record that an environment is gone; before the last trace of it goes, so rather twice than never. */
export function recordCleaned(deps: Pick<Deps, 'audit' | 'clock'>, { spec, name }: Preview): Promise<void> {
  const { project, environment, preview } = spec;
  return deps.audit.append({
    time: deps.clock.now().toISOString(),
    identity: 'hakopod',
    origin: 'git',
    source: preview.source,
    action: 'preview.cleaned',
    resource: { kind: 'Application', project, environment, application: spec.name, name },
  });
}
