import type { Application } from '../spec/index.ts';
import { DEFAULT_RENDER_OPTIONS, type RenderInput, type RenderOptions } from './input.ts';

/** Host names and identities of a rendering that belongs to no installation yet. `.invalid` is nobody's (RFC 2606). */
const NOWHERE = 'apps.invalid';
const NO_ID = '0'.repeat(32);
const NO_IMAGE = `images.invalid/none@sha256:${'0'.repeat(64)}`;

/** What is known of a release already; the rest is said to be nobody's. */
type Known = Partial<
  Pick<RenderInput, 'key' | 'id' | 'revision' | 'operation' | 'images' | 'credentials' | 'placement'>
> & {
  readonly options?: RenderOptions;
};

/**
 * What a rendering for people, or for a check, is made from: no secret value, no answer of a registry, and placeholders for everything that
 * only an installation knows; images that are not given are nobody's. The result is never applied.
 */
export function previewInput(application: Application, known: Known = {}): RenderInput {
  const { options = DEFAULT_RENDER_OPTIONS, ...rest } = known;
  const { name } = application;
  return {
    application,
    key: { project: 'project', environment: 'environment', name },
    id: NO_ID,
    revision: 1,
    operation: `project.environment.${name}.1`,
    images: Object.fromEntries(Object.keys(application.services).map((service) => [service, NO_IMAGE])),
    secrets: {},
    creationId: NO_ID,
    preview: true,
    ...rest,
    options: { ...options, appDomain: options.appDomain ?? NOWHERE },
  };
}

/** The image each service names itself; one that is built from a repository gets a name that says so. */
export function namedImages({ services }: Pick<Application, 'services'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(services).map(([name, { image }]) => [name, image ?? `${name}.built-from-the-repository.invalid`]),
  );
}
