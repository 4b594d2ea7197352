import { applicationName, type CommitSha, displayApplication, fail, ok, type Result } from '../kernel/index.ts';
import type { CommitReport, ForgeDeployment, ForgeRepository } from '../ports/index.ts';
import type { Deps } from './context.ts';
import type { Holder } from './report-holder.ts';

/**
 * Shows the release of a commit as a deployment of the forge, with the application's URL once it is there. It follows the status, whose
 * words and outcome it has, so it ends whenever that does. Answers what to keep in the ledger; a refusal is final, for a token without the
 * right to deployments is a decision.
 */
export async function reportDeployment(
  deps: Deps,
  forge: ForgeRepository,
  { holder, entry }: { readonly holder: Holder; readonly entry: CommitReport },
): Promise<Result<CommitReport['deployment']>> {
  const written = await deps.deployments.write(forge, deploymentOf(deps, holder, entry));
  if (written.ok) return ok({ id: written.value, posted: entry.desired.outcome });
  const { problem: p } = written;
  if (p.kind !== 'rejected') return fail(p);
  deps.log.warn('the forge refused a deployment', { name: holder.name, commit: entry.commit, code: p.code });
  return ok({ ...entry.deployment, undeliverable: p.code });
}

function deploymentOf(deps: Deps, holder: Holder, entry: CommitReport): ForgeDeployment {
  const { application } = holder;
  const { desired, deployment } = entry;
  const url = deps.store.applications
    .cached(applicationName(application))
    ?.status.services?.find((service) => service.url !== undefined)?.url;
  const { publicUrl } = deps.options;
  return {
    commit: entry.commit as CommitSha,
    ref: holder.ref,
    environment: displayApplication(application),
    outcome: desired.outcome,
    description: desired.description,
    ...(url === undefined ? {} : { url }),
    ...(publicUrl === undefined ? {} : { logUrl: publicUrl }),
    ...(deployment?.id === undefined ? {} : { known: deployment.id }),
  };
}
