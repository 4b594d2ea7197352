import { type Manifest, ok, type Result } from '../../kernel/index.ts';
import { hasOwnershipLabels, isDomainActive } from '../../reconcile/index.ts';
import { recheckDomains } from '../endpoints/index.ts';
import { readLive, type Session, type View } from './session.ts';

type Rules = { readonly rules?: readonly { readonly host?: string }[]; readonly tls?: readonly Tls[] };
type Tls = { readonly hosts?: readonly string[] };

/** An Ingress, and those of its hosts that may lead nowhere any more. */
type Lost = { readonly ingress: Manifest; readonly hosts: ReadonlySet<string> };

/**
 * Looks again at the domains of an application whose newest release failed, of which nothing else is kept as released: one whose record is
 * gone for good, or that went to its owner, leads nowhere any more. What was verified meanwhile is for the next release to add.
 */
export async function withdrawDomains(session: Session): Promise<Result<void>> {
  const { application, deps } = session;
  const lost = await lostDomains(session);
  if (!lost.ok) return lost;
  for (const { ingress, hosts } of lost.value) {
    const spec = (ingress.spec ?? {}) as Rules;
    const rules = spec.rules?.filter(({ host = '' }) => !hosts.has(host));
    const tls = spec.tls?.map((one) => ({ ...one, hosts: one.hosts?.filter((host) => !hosts.has(host)) }));
    const written = await deps.cluster.replace({ ...ingress, spec: { ...spec, rules, ...(tls && { tls }) } });
    if (!written.ok) return written;
    deps.log.info('domains withdrawn', { application, ingress: ingress.metadata.name, count: hosts.size });
  }
  return ok(undefined);
}

/** What there is to withdraw, as a look that writes nothing into the namespace; it puts on record how the domains stand. */
export async function lostDomains(view: View): Promise<Result<readonly Lost[]>> {
  const { application, id, deps } = view;
  const checked = await recheckDomains(deps, { application, id });
  if (!checked.ok) return checked;
  const live = await readLive(view);
  if (!live.ok) return live;
  const all: Lost[] = [];
  for (const ingress of view.inventory.all().filter((object) => isOurIngress(view, object))) {
    const hosts = await lostHosts(view, (ingress.spec ?? {}) as Rules);
    if (!hosts.ok) return hosts;
    if (hosts.value.size > 0) all.push({ ingress, hosts: hosts.value });
  }
  return ok(all);
}

/** What has a claim is a custom domain. */
async function lostHosts({ deps, id }: View, { rules = [] }: Rules): Promise<Result<ReadonlySet<string>>> {
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

/** By our labels and on record (invariant 8). */
function isOurIngress({ inventory, id }: View, object: Manifest): boolean {
  return object.kind === 'Ingress' && hasOwnershipLabels(object, id) && inventory.has(object);
}
