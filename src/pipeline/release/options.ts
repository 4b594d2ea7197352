import type { Release } from '../../ports/index.ts';
import { DEFAULT_RENDER_OPTIONS, type RenderInput, type RenderOptions } from '../../render/index.ts';
import type { PipelineOptions } from '../context.ts';
import type { Session } from './session.ts';

/** The installation's settings in the words of rendering. */
export function renderOptions(options: PipelineOptions): RenderOptions {
  return {
    ...DEFAULT_RENDER_OPTIONS,
    ingressClass: options.ingressClass,
    rolloutTimeoutSeconds: options.rolloutTimeoutSeconds,
    ...(options.appDomain === undefined ? {} : { appDomain: options.appDomain }),
    ...(options.tlsIssuer === undefined ? {} : { tlsIssuer: options.tlsIssuer }),
    ...(options.publicPort === undefined ? {} : { publicPort: options.publicPort }),
  };
}

/** What a release of this application renders from, whoever renders it. */
export function renderInput(
  session: Session,
  release: Release,
  parts: Pick<RenderInput, 'application' | 'images' | 'secrets' | 'creationId'>,
): RenderInput {
  return {
    ...parts,
    key: session.key,
    id: session.id,
    revision: release.spec.revision,
    operation: release.name,
    snapshotKey: session.deps.options.snapshotKey,
    options: renderOptions(session.deps.options),
  };
}
