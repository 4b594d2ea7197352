import { ok } from '../../kernel/index.ts';
import { Plan, type PlanRequest } from '../../ports/api/index.ts';
import { place } from '../application.ts';
import type { Answered } from '../client/api.ts';
import type { Loaded } from '../offline/index.ts';
import type { Flags, Session } from '../session.ts';

/** A plan the server made of something read. */
export type Planned = { readonly loaded: Loaded; readonly request: PlanRequest; readonly plan: Plan };

/** Plans one application. That it has somewhere to go is asked first, because nothing can be without. */
export async function planOf(session: Session, loaded: Loaded, flags: Flags): Promise<Answered<Planned>> {
  const where = place(session);
  if (!where.ok) return where;
  const service = typeof flags.service === 'string' ? { service: flags.service } : {};
  const { deleteVolume: volumes } = flags;
  const cleanup = Array.isArray(volumes) ? { delete_service_volumes: volumes.map(String) } : {};
  const request = { ...where.value, ...loaded.request, ...service, ...cleanup };
  const planned = await session.api.call({ method: 'POST', path: '/plan', body: request, answer: Plan });
  return planned.ok ? ok({ loaded, request, plan: planned.value }) : planned;
}

/** `project/environment/name` of a plan. */
export function titled({ project, environment }: PlanRequest, { spec }: Plan): string {
  return `${project}/${environment}/${String(spec.name)}`;
}
