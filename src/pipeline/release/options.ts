import { DEFAULT_RENDER_OPTIONS, type RenderOptions } from '../../render/index.ts';
import type { PipelineOptions } from '../context.ts';

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
