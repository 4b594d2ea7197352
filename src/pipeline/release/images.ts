import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import { unpackSpec } from '../release-body.ts';
import type { Carrying } from './carrying.ts';

type Images = Readonly<Record<string, string>>;

/**
 * Every service's image by digest, once per release; the first answer that was stored counts, also for later runs and rollbacks. A built
 * service runs what its build pushed. When nothing but a build caused the release (the file means what the last good release's did), every
 * other service keeps that release's digest, so that pushing code moves no tag (facts 5.7).
 */
export async function resolveImages(carrying: Carrying): Promise<Result<Images>> {
  const { session, desired, release, guard } = carrying;
  const services = Object.entries(desired.services);
  const known = release.status.resolved;
  if (known !== undefined && services.every(([name]) => Object.hasOwn(known, name))) return ok(known);
  const kept = await keptImages(carrying);
  if (!kept.ok) return kept;
  // A rollback, a restart and the other services of a release of some run what an earlier revision ran.
  const again = release.spec.images ?? {};
  const resolved = await Promise.all(
    services.map(async ([name, service]): Promise<Result<readonly [string, string]>> => {
      const image = Object.hasOwn(kept.value, name) ? kept.value[name] : undefined;
      const earlier = Object.hasOwn(again, name) ? again[name] : undefined;
      if (earlier !== undefined) return ok([name, earlier]);
      if (service.build !== undefined) return builtImageOf(carrying, name);
      if (image !== undefined) return ok([name, image]);
      const answer = await session.deps.images.resolve(service.image ?? '', guard.signal);
      if (!answer.ok) return fail({ ...answer.problem, at: `services.${name}.image` });
      return ok([name, answer.value]);
    }),
  );
  const found: (readonly [string, string])[] = [];
  for (const answer of resolved) {
    if (!answer.ok) return answer;
    found.push(answer.value);
  }
  const stored = await session.deps.store.releases.updateStatus(release.name, (current) =>
    current.status.resolved === undefined ? { ...current.status, resolved: Object.fromEntries(found) } : undefined,
  );
  return stored.ok ? ok(stored.value.status.resolved ?? {}) : stored;
}

async function builtImageOf(
  { session, release }: Carrying,
  service: string,
): Promise<Result<readonly [string, string]>> {
  const name = release.spec.builds?.[service] ?? '';
  const run = await session.deps.store.builds.get(name);
  if (!run.ok) return run;
  const image = run.value?.status.image;
  return image === undefined
    ? fail(problem('build_failed', 'the build of this release is not on record', { at: `services.${service}.build` }))
    : ok([service, image]);
}

/** Digests of the last good release for services whose reference did not change; empty when more than a build caused this release. */
async function keptImages({ session, release, desired }: Carrying): Promise<Result<Images>> {
  if (release.spec.builds === undefined) return ok({});
  const releases = await session.deps.store.releases.ofApplication(release.spec.application);
  if (!releases.ok) return releases;
  const good = releases.value.find(
    (other) => other.spec.revision < release.spec.revision && other.status.state === 'succeeded',
  );
  if (good === undefined || good.spec.specDigest !== release.spec.specDigest) return ok({});
  return ok(unchangedImages(good, desired));
}

function unchangedImages(good: Release, desired: Application): Images {
  const before = unpackSpec(good.spec.spec);
  const resolved = good.status.resolved ?? {};
  if (!before.ok) return {};
  const same = Object.entries(desired.services).flatMap(([name, { image }]): (readonly [string, string])[] => {
    const digest = resolved[name];
    const isSame = image !== undefined && before.value.services[name]?.image === image;
    return isSame && digest !== undefined ? [[name, digest]] : [];
  });
  return Object.fromEntries(same);
}
