import { applicationName, keyOfName, sha256 } from '../../kernel/index.ts';
import type { Application, GitSource } from '../../ports/index.ts';

/** An application that is a preview. */
export type Preview = Application & {
  readonly spec: Application['spec'] & { readonly preview: NonNullable<Application['spec']['preview']> };
};

/** Facts 4.9: `preview-` and the first 16 bytes of a digest, which is exactly as long as a name may be. */
export function previewSlug(sourceUid: string, number: number): string {
  return `preview-${sha256(`${sourceUid}\0${number}`).slice(0, 32)}`;
}

/** The name of the Application of a request and source. A source that is added again has others. */
export function environmentName({ uid, spec }: Pick<GitSource, 'uid' | 'spec'>, number: number): string {
  const { project, environment } = spec.application;
  return applicationName({ project, environment, name: previewSlug(uid, number) });
}

/**
 * True for the environment of a request: under the name that its source and request give it, and of that source's application. Whatever else
 * somebody made by hand and calls a preview is none: it reads nobody's secrets, gets no release of a request, and keeps its volumes.
 */
export function isPreview(application: Application): application is Preview {
  const { preview, name } = application.spec;
  if (preview === undefined || preview.parent !== preview.source) return false;
  const slug = previewSlug(preview.sourceUid, preview.number);
  return name === slug && application.name === applicationName({ ...keyOfName(preview.source), name: slug });
}
