import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { Release, ResolvedImage } from '../../ports/index.ts';
import { DOCKER_CONFIG, dockerConfig } from '../../render/index.ts';
import { type Application, imageRegistry, type Service } from '../../spec/index.ts';
import { missingCredential } from '../registry-credentials.ts';
import { unpackSpec } from '../release-body.ts';
import type { Carrying } from './carrying.ts';
import { type ImageAccess, imageAccess, savedCredentials } from './image-access.ts';
import type { Session } from './session.ts';
import { lastGoodBefore } from './standing.ts';

type Names = Readonly<Record<string, string>>;

/** What a release runs: digests by service, and the names of the credentials that opened those that are not public. */
export type ReleaseImages = { readonly images: Names; readonly credentials: Names };

/**
 * Every service's image by digest, once per release; the first answer that was stored counts, also for later runs and rollbacks. A built
 * service runs what its build pushed. When nothing but a build caused the release (the file means what the last good release's did), every
 * other service keeps that release's digest, so that pushing code moves no tag (facts 5.7).
 */
export async function resolveImages(carrying: Carrying): Promise<Result<ReleaseImages>> {
  const { session, desired, release } = carrying;
  const services = Object.entries(desired.services);
  const known = release.status.resolved;
  if (known !== undefined && services.every(([name]) => Object.hasOwn(known, name))) return ok(storedImages(release));
  const history = await earlierImages(carrying);
  if (!history.ok) return history;
  const access = await imageAccess(session);
  if (!access.ok) return access;
  const resolved = await Promise.all(
    services.map(async ([name, service]): Promise<Result<readonly [string, ResolvedImage]>> => {
      const answer = await resolveOne(carrying, { name, service, earlier: history.value[name], access: access.value });
      return answer.ok ? ok([name, answer.value]) : answer;
    }),
  );
  const found: (readonly [string, ResolvedImage])[] = [];
  for (const answer of resolved) {
    if (!answer.ok) return answer;
    found.push(answer.value);
  }
  const images = Object.fromEntries(found.map(([name, { image }]) => [name, image]));
  const credentials = Object.fromEntries(
    found.flatMap(([name, { credential }]) => (credential === undefined ? [] : [[name, credential]])),
  );
  const stored = await session.deps.store.releases.updateStatus(release.name, (current) =>
    current.status.resolved === undefined ? { ...current.status, resolved: images, credentials } : undefined,
  );
  return stored.ok ? ok(storedImages(stored.value)) : stored;
}

function storedImages({ status }: Release): ReleaseImages {
  return { images: status.resolved ?? {}, credentials: status.credentials ?? {} };
}

/** A digest that was resolved before; `isKnown` when it is on record too which credentials opened it, if any. */
type Earlier = ResolvedImage & { readonly isKnown?: boolean };

type Wanted = {
  readonly name: string;
  readonly service: Service;
  /** What an earlier revision ran and this one runs again. */
  readonly earlier: Earlier | undefined;
  readonly access: ImageAccess;
};

async function resolveOne(carrying: Carrying, wanted: Wanted): Promise<Result<ResolvedImage>> {
  const { name, service, earlier, access } = wanted;
  const given = earlier === undefined && service.build !== undefined ? await builtImageOf(carrying, name) : ok(earlier);
  if (!given.ok) return given;
  const image = given.value?.image ?? service.image ?? '';
  const sameHost = access.credentials.filter(({ server }) => server === imageRegistry(image));
  const selected = service.registry_credential;
  if (selected !== '' && !sameHost.some((saved) => saved.name === selected)) return fail(missingCredential(name));
  if (given.value !== undefined) {
    // Asked for again only when saved credentials may be what opens it, and it is not known which.
    const { credential, isKnown = false } = given.value;
    const isThere = credential === undefined || sameHost.some((saved) => saved.name === credential);
    if (isKnown && isThere && (selected === '' || selected === credential))
      return ok(credential === undefined ? { image } : { image, credential });
    if (sameHost.length === 0) return ok({ image });
  }
  const answer = await carrying.session.deps.images.resolve(image, {
    architectures: service.architecture === '' ? access.architectures : [service.architecture],
    credentials: sameHost,
    signal: carrying.guard.signal,
    ...(selected === '' ? {} : { selected }),
  });
  return answer.ok ? answer : fail({ ...answer.problem, at: `services.${name}.image` });
}

/**
 * What the pods of each service log in with to pull its image, under the key its values have it by. `registry_credential_missing` when
 * somebody deleted credentials since the image was resolved.
 */
export async function pullLogins(
  session: Session,
  credentials: Names,
): Promise<Result<Readonly<Record<string, Names>>>> {
  if (Object.keys(credentials).length === 0) return ok({});
  const saved = await savedCredentials(session);
  if (!saved.ok) return saved;
  const logins: Record<string, Names> = {};
  for (const [service, name] of Object.entries(credentials)) {
    const login = saved.value.find((one) => one.name === name);
    if (login === undefined) return fail(missingCredential(service));
    logins[service] = { [DOCKER_CONFIG]: dockerConfig(login) };
  }
  return ok(logins);
}

async function builtImageOf({ session, release }: Carrying, service: string): Promise<Result<Earlier>> {
  const name = release.spec.builds?.[service] ?? '';
  const run = await session.deps.store.builds.get(name);
  if (!run.ok) return run;
  const image = run.value?.status.image;
  return image === undefined
    ? fail(problem('build_failed', 'the build of this release is not on record', { at: `services.${service}.build` }))
    : ok({ image });
}

/**
 * What services run again: a rollback, a restart and the other services of a release of some run what an earlier revision ran, with the
 * credentials that opened it; so does, when nothing but a build caused the release, every service whose reference did not change.
 */
async function earlierImages(carrying: Carrying): Promise<Result<Readonly<Record<string, Earlier>>>> {
  const { session, release, desired } = carrying;
  const again = release.spec.images ?? {};
  if (Object.keys(again).length === 0 && release.spec.builds === undefined) return ok({});
  const releases = await session.deps.store.releases.ofApplication(release.spec.application);
  if (!releases.ok) return releases;
  const kept = release.spec.builds === undefined ? {} : keptImages(releases.value, release, desired);
  const names = new Set([...Object.keys(kept), ...Object.keys(again)]);
  return ok(
    Object.fromEntries(
      [...names].flatMap((name) => {
        const image = Object.hasOwn(again, name) ? again[name] : kept[name];
        return image === undefined ? [] : [[name, { image, ...openedBy(releases.value, name, image) }]];
      }),
    ),
  );
}

/** The credentials with which a kept release read this very digest. */
function openedBy(releases: readonly Release[], service: string, image: string): Omit<Earlier, 'image'> {
  const source = releases.find(({ status }) => status.resolved?.[service] === image);
  const credential = source?.status.credentials?.[service];
  const isKnown = source?.status.credentials !== undefined;
  return credential === undefined ? { isKnown } : { isKnown, credential };
}

/** Digests of the last good release for services whose reference did not change; empty when more than a build caused this release. */
function keptImages(releases: readonly Release[], release: Release, desired: Application): Names {
  const good = lastGoodBefore(releases, release);
  return good === undefined || good.spec.specDigest !== release.spec.specDigest ? {} : unchangedImages(good, desired);
}

function unchangedImages(good: Release, desired: Application): Names {
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
