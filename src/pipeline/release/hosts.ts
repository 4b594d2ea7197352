import { ok, type Result } from '../../kernel/index.ts';
import type { Application as ApplicationResource } from '../../ports/index.ts';
import type { RenderInput } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import { cachedApplication } from '../cached-application.ts';
import {
  activeDomains,
  recheckDomains,
  recordedCertificates,
  releaseCertificates,
  reserveDomains,
} from '../endpoints/index.ts';
import type { Session, View } from './session.ts';

/** What an application's host names are rendered from. */
export type ReleaseHosts = Required<Pick<RenderInput, 'domains' | 'certificates'>>;

/**
 * The custom domains that may lead somewhere and the certificates to serve, read before a release writes anything. Its claims are made again
 * where somebody deleted them; `domain_taken` when another application holds one by now, `certificate_missing`.
 */
export async function releaseHosts(
  session: Session,
  release: { readonly application: string; readonly revision: number; readonly desired: Application },
): Promise<Result<ReleaseHosts>> {
  const { deps } = session;
  const { desired, revision } = release;
  const found = cachedApplication(deps, release.application);
  if (!found.ok) return found;
  const application = found.value;
  const reserved = await reserveDomains(deps, { application, revision, desired });
  if (!reserved.ok) return reserved;
  const domains = await activeDomains(deps, application, desired);
  if (!domains.ok) return domains;
  const certificates = await releaseCertificates(deps, keyOf(application), desired);
  return certificates.ok ? ok({ domains: domains.value, certificates: certificates.value }) : certificates;
}

/** The same of an application at rest: domains are looked at again where it is time to, and what it serves already it goes on to serve. */
export async function recordedHosts(
  session: View,
  application: ApplicationResource,
  desired: Application,
): Promise<Result<ReleaseHosts>> {
  const { deps, id } = session;
  const checked = await recheckDomains(deps, { application: application.name, id, desired });
  if (!checked.ok) return checked;
  const domains = await activeDomains(deps, application, desired);
  if (!domains.ok) return domains;
  const certificates = await recordedCertificates(deps, {
    key: keyOf(application),
    application: desired,
    live: session.inventory.all().filter((object) => session.inventory.has(object)),
  });
  return certificates.ok ? ok({ domains: domains.value, certificates: certificates.value }) : certificates;
}

function keyOf({ spec: { project, environment, name } }: ApplicationResource): RenderInput['key'] {
  return { project, environment, name };
}
