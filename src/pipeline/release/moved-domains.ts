import { type Manifest, refOf } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { unpackSpec } from '../release-body.ts';
import type { Drifted } from './drift.ts';
import type { View } from './session.ts';

/**
 * Of what is not as released, the Ingresses that differ because a custom domain was verified, or lost its verification: nobody changed them by
 * hand, so they are brought up to date whatever a source wants to happen with drift, and are not told as drift. Where somebody changed hosts by
 * hand as well, only a lost domain is: it must not lead anywhere.
 */
export function movedDomains(view: View, release: Release, drifted: readonly Drifted[]): ReadonlySet<Drifted> {
  const ingresses = drifted.filter(({ object }) => object.manifest.kind === 'Ingress');
  if (ingresses.length === 0) return new Set();
  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) return new Set();
  const { domains } = desired.value;
  return new Set(
    ingresses.filter(({ object }) => {
      const live = view.inventory.live(refOf(object.manifest));
      if (live === undefined) return false;
      const [now, before] = [hostsOf(object.manifest), hostsOf(live)];
      const moved = [...now, ...before].filter((host) => now.has(host) !== before.has(host));
      const custom = moved.filter((host) => Object.hasOwn(domains, host));
      return custom.some((host) => before.has(host)) || (custom.length > 0 && custom.length === moved.length);
    }),
  );
}

function hostsOf({ spec }: Manifest): ReadonlySet<string> {
  const { rules = [] } = (spec ?? {}) as { readonly rules?: readonly { readonly host?: string }[] };
  return new Set(rules.flatMap(({ host }) => (host === undefined ? [] : [host])));
}
