import { z } from 'zod';
import { DIGEST, fail, ok, problem, type Result } from '../../kernel/index.ts';

/** Media types asked for: OCI and Docker, lists of platforms first. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const Platform = z.object({ os: z.string(), architecture: z.string() });
export type Platform = z.infer<typeof Platform>;

const Index = z.object({ manifests: z.array(z.object({ platform: Platform.optional() })) });
const Manifest = z.object({ config: z.object({ digest: z.string().regex(DIGEST) }) });

/** What a manifest says about platforms: a list of them, or the digest of the configuration that names the one. */
export type ManifestContent =
  | { readonly kind: 'index'; readonly platforms: readonly Platform[] }
  | { readonly kind: 'manifest'; readonly config: string };

/** Reads a manifest or an index, loosely. `invalid_image` for anything else, such as Docker's first schema. */
export function parseManifest(body: Buffer): Result<ManifestContent> {
  const json = parseJson(body);
  const index = Index.safeParse(json);
  if (index.success) {
    const platforms = index.data.manifests.flatMap(({ platform }) => (platform === undefined ? [] : [platform]));
    return ok({ kind: 'index', platforms });
  }
  const manifest = Manifest.safeParse(json);
  if (manifest.success) return ok({ kind: 'manifest', config: manifest.data.config.digest });
  return fail(problem('invalid_image', 'the registry holds something under this name that is not an image'));
}

/** The platform an image's configuration names; `undefined` for what is not the configuration of a container image. */
export function parseConfig(body: Buffer): Platform | undefined {
  return Platform.safeParse(parseJson(body)).data;
}

/** Facts 3.8: the image supports linux, on every architecture that is asked for. */
export function checkPlatforms(platforms: readonly Platform[], architectures: readonly string[]): Result<void> {
  const linux = platforms.filter(({ os }) => os === 'linux').map(({ architecture }) => architecture);
  const fits = linux.length > 0 && architectures.every((wanted) => linux.includes(wanted));
  return fits ? ok(undefined) : fail(problem('image_platform'));
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
