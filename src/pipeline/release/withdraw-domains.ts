import { type Manifest, ok, type Result } from '../../kernel/index.ts';
import { isDomainActive } from '../../reconcile/index.ts';
import { recheckDomains } from '../endpoints/index.ts';
import { readLive, type Session } from './session.ts';

type Rules = { readonly rules?: readonly { readonly host?: string }[]; readonly tls?: readonly Tls[] };
type Tls = { readonly hosts?: readonly string[] };

/**
 * Looks again at the domains of an application whose newest release failed, of which nothing else is kept as released: one whose record is
 * gone for good, or that went to its owner, leads nowhere any more. What was verified meanwhile is for the next release to add.
 */
export async function withdrawDomains(session: Session): Promise<Result<void>> {
  const { application, id, deps } = session;
  const checked = await recheckDomains(deps, { application, id });
  if (!checked.ok) return checked;
  const live = await readLive(session);
  if (!live.ok) return live;
  for (const ingress of session.inventory.all().filter((object) => isOurIngress(session, object))) {
    const spec = (ingress.spec ?? {}) as Rules;
    const lost = await lostHosts(session, spec);
    if (!lost.ok) return lost;
    if (lost.value.size === 0) continue;
    const rules = spec.rules?.filter(({ host = '' }) => !lost.value.has(host));
    const tls = spec.tls?.map((one) => ({ ...one, hosts: one.hosts?.filter((host) => !lost.value.has(host)) }));
    const written = await deps.cluster.replace({ ...ingress, spec: { ...spec, rules, ...(tls && { tls }) } });
    if (!written.ok) return written;
    deps.log.info('domains withdrawn', { application, ingress: ingress.metadata.name, count: lost.value.size });
  }
  return ok(undefined);
}

/** What has a claim is a custom domain. */
async function lostHosts({ deps, id }: Session, { rules = [] }: Rules): Promise<Result<ReadonlySet<string>>> {
  const { appDomain = '' } = deps.options;
  const lost = new Set<string>();
  for (const { host = '' } of rules.filter((rule) => rule.host?.endsWith(`.${appDomain}`) === false)) {
    const claim = await deps.store.domains.get(host);
    if (!claim.ok) return claim;
    const isOurs = claim.value?.spec.applicationId === id && isDomainActive(claim.value.status);
    if (claim.value !== undefined && !isOurs) lost.add(host);
  }
  return ok(lost);
}

function isOurIngress({ inventory }: Session, { kind, metadata }: Manifest): boolean {
  return kind === 'Ingress' && inventory.entries.some((entry) => entry.kind === kind && entry.uid === metadata.uid);
}
