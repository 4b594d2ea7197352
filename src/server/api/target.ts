import type { Scope } from '../../access/index.ts';

/** The target that the id of a release, a source or a plan begins with: project, environment, application. */
export function targetOfId(id: string): Scope {
  const [project, environment, application] = id.split('.');
  return { project, environment, application };
}
