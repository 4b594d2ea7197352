import { ok, problem } from '../../kernel/index.ts';
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
  const request = { ...where.value, ...loaded.request, ...service };
  const planned = await session.api.call({ method: 'POST', path: '/plan', body: request, answer: Plan });
  return planned.ok ? ok({ loaded, request, plan: planned.value }) : planned;
}

/** Facts 8.4: without a terminal nothing is asked; what is missing is named. */
export function complete(planned: Planned): Answered<Planned> {
  const { missing_secrets: missing, spec } = planned.plan;
  if (missing.length === 0) return ok(planned);
  const why = problem('missing_secrets', undefined, { details: { missing_secrets: missing } });
  const { project, environment } = planned.request;
  const app = `${project}/${environment}/${String(spec.name)}`;
  const hint = `\`hakopod secrets set ${missing[0]} --app ${app}\` reads its value from standard input; --generate makes one`;
  return { ok: false, problem: why, status: 409, hint };
}

/** `project/environment/name` of a plan. */
export function titled({ project, environment }: PlanRequest, { spec }: Plan): string {
  return `${project}/${environment}/${String(spec.name)}`;
}
