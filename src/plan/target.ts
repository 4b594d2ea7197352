import { canonicalJson, fail, ok, type Problem, problem, type Result } from '../kernel/index.ts';
import type { Application } from '../spec/index.ts';

/** A release of some services: the accepted application with these services replaced, and the digests the others keep. */
export type Targeted = {
  readonly application: Application;
  /** Service to image digest, for every service that is not a target. */
  readonly images: Readonly<Record<string, string>>;
};

/**
 * Narrows a release to the named services (facts 6.1): the accepted application with those services as `desired` has them, every other one
 * as it is, with the digest it runs. Codes: `invalid_service` for a name that `desired` lacks or that is there twice, `shared_configuration`
 * when the targets would change what all services share, `unresolved_base` when the accepted revision has no digests to keep.
 */
export function targetServices(input: {
  readonly desired: Application;
  readonly accepted: Application;
  /** Digests of the accepted revision, by service. */
  readonly resolved: Readonly<Record<string, string>>;
  readonly services: readonly string[];
}): Result<Targeted> {
  const { desired, accepted, resolved, services } = input;
  const targets = new Set(services);
  const strange = services.find((name) => !Object.hasOwn(desired.services, name));
  if (strange !== undefined || targets.size !== services.length || targets.size === 0)
    return fail(problem('invalid_service', undefined, { at: 'services' }));
  const shared = sharedChange(desired, accepted, targets);
  if (shared !== undefined) return fail(shared);
  const others = Object.keys(accepted.services).filter((name) => !targets.has(name));
  const unresolved = others.find((name) => !Object.hasOwn(resolved, name));
  if (unresolved !== undefined)
    return fail(problem('unresolved_base', undefined, { at: `services.${unresolved}.image` }));
  const pick = (name: string): readonly (readonly [string, Application['services'][string]])[] => {
    const service = targets.has(name) ? desired.services[name] : accepted.services[name];
    return service === undefined ? [] : [[name, service]];
  };
  const names = [...new Set([...Object.keys(accepted.services), ...targets])].sort();
  return ok({
    application: {
      ...accepted,
      services: Object.fromEntries(names.flatMap(pick)),
      volumes: { ...accepted.volumes, ...used(desired, targets, 'volumes') },
      networks: { ...accepted.networks, ...used(desired, targets, 'networks') },
      domains: domainsOf(desired, accepted, targets),
    },
    images: Object.fromEntries(
      others.flatMap((name) => (resolved[name] === undefined ? [] : [[name, resolved[name]]])),
    ),
  });
}

const SHARED = ['env', 'secrets', 'inject_env', 'recovery'] as const;

function sharedChange(desired: Application, accepted: Application, targets: ReadonlySet<string>): Problem | undefined {
  const same = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);
  const root = SHARED.find((field) => !same(desired[field], accepted[field]));
  if (root !== undefined) return problem('shared_configuration', undefined, { at: root });
  for (const part of ['volumes', 'networks'] as const) {
    const uses = used(desired, targets, part);
    const changed = Object.keys(uses).find(
      (name) => Object.hasOwn(accepted[part], name) && !same(uses[name], accepted[part][name]),
    );
    if (changed !== undefined) return problem('shared_configuration', undefined, { at: `${part}.${changed}` });
  }
  return undefined;
}

/** The volumes or networks of `desired` that the targets use. */
function used<Part extends 'volumes' | 'networks'>(
  desired: Application,
  targets: ReadonlySet<string>,
  part: Part,
): Application[Part] {
  const names = [...targets].flatMap((target) => {
    const service = desired.services[target];
    if (service === undefined) return [];
    return part === 'volumes' ? service.mounts.map(({ volume }) => volume) : service.networks;
  });
  const entries = Object.entries(desired[part]).filter(([name]) => names.includes(name));
  return Object.fromEntries(entries) as Application[Part];
}

function domainsOf(desired: Application, accepted: Application, targets: ReadonlySet<string>): Application['domains'] {
  const kept = Object.entries(accepted.domains).filter(([, service]) => !targets.has(service));
  const own = Object.entries(desired.domains).filter(([, service]) => targets.has(service));
  return Object.fromEntries([...kept, ...own].sort(([a], [b]) => (a < b ? -1 : 1)));
}
