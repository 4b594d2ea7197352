import { applicationName, sha256 } from '../../kernel/index.ts';
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

/** True for the environment of a request. */
export function isPreview(application: Application): application is Preview {
  return application.spec.preview !== undefined;
}
