import { type ApplicationKey, ok, type Problem, type Result } from '../../kernel/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Deps } from '../context.ts';
import { certificateRefusals } from './certificates.ts';
import { domainRefusals } from './domains.ts';

/** What a plan asks about the host names of an application; `id` is the application's, when it has one already. */
export type EndpointQuestion = {
  readonly key: ApplicationKey;
  readonly id: string | undefined;
  readonly application: Application;
};

/** Why an application can not have the host names it wants: custom domains first, then certificates by service. Reads only. */
export async function endpointRefusals(
  deps: Pick<Deps, 'store' | 'certificates' | 'clock' | 'options' | 'dns'>,
  asked: EndpointQuestion,
): Promise<Result<readonly Problem[]>> {
  const domains = await domainRefusals(deps, asked);
  if (!domains.ok) return domains;
  const certificates = await certificateRefusals(deps, asked);
  return certificates.ok ? ok([...domains.value, ...certificates.value]) : certificates;
}
