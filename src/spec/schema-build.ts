import { z } from 'zod';
import { LIMITS } from '../kernel/index.ts';
import { EnvName, mapOf, orEmpty, plainText, RELATIVE_PATTERN, textOrUnset, wordOrUnset } from './schema-parts.ts';

const Patch = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= LIMITS.patchBytes, `must be at most ${LIMITS.patchBytes} bytes`)
  .meta({ maxLength: LIMITS.patchBytes })
  .optional();

/** YAML text each, read by the patch engine (spec kubernetes-patches). */
export const KubernetesFile = z.strictObject({ deployment: Patch, service: Patch, ingress: Patch });

function buildPath(longest: number): z.ZodString {
  return textOrUnset(
    (path) => path === '.' || (path.length <= longest && cleanBuildPath(path)),
    `must be a clean relative path of at most ${longest} letters, digits and _ . - / without ..`,
    { pattern: `^\\.$|(?=${orEmpty(RELATIVE_PATTERN)})^[A-Za-z0-9_./-]*$`, maxLength: longest },
  );
}

/** Facts 5.1: relative, no empty, `.` or `..` part. */
function cleanBuildPath(path: string): boolean {
  return (
    /^[A-Za-z0-9_.\-/]+$/.test(path) && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

/** Facts 5.1. The default Dockerfile of the longest context is a valid path too, since a release's canonical JSON is read again. */
const CONTEXT_LENGTH = 200;
const DOCKERFILE_LENGTH = CONTEXT_LENGTH + '/Dockerfile'.length;

const BuildArg = plainText(LIMITS.buildArgBytes)
  .refine((text) => !/[\r\n]/.test(text), 'must be a single line')
  .refine((text) => !text.includes('{{'), 'must not contain a workflow expression')
  .meta({ pattern: '^(?!.*\\{\\{)[^\\r\\n]*$' });

/** Facts 5.2: names of CI secrets that no runner uses itself. */
const CI_SECRET = /^(?!GITHUB_|GITLAB_|CI_|RUNNER_|ACTIONS_|HAKOPOD_|DOCKER_|BUILDKIT_)[A-Z][A-Z0-9_]{0,99}$/;
const CI_RESERVED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'SHELL',
  'ENV',
  'BASH_ENV',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NPM_CONFIG_PREFIX',
  'IFS',
]);

const BuildSecrets = mapOf(
  z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be 1 to 64 lowercase letters, digits, hyphens and underscores'),
  z
    .string()
    .refine((name) => CI_SECRET.test(name) && !CI_RESERVED.has(name), 'must be the name of a CI secret that is free')
    .meta({ pattern: CI_SECRET.source }),
  16,
);

export const BuildFile = z.strictObject({
  context: buildPath(CONTEXT_LENGTH).optional(),
  dockerfile: buildPath(DOCKERFILE_LENGTH)
    .refine((path) => path !== '.', 'must name a file')
    .optional(),
  target: z
    .string()
    .regex(/^(?:[A-Za-z0-9][A-Za-z0-9_.-]{0,127})?$/, 'must be the name of a build stage')
    .optional(),
  build_args: mapOf(EnvName, BuildArg, LIMITS.buildArgs).optional(),
  build_secrets: BuildSecrets.optional(),
  mode: wordOrUnset('dockerfile', 'buildpacks', 'framework').optional(),
  preset: wordOrUnset('auto', 'nodejs', 'python', 'go', 'java', 'dotnet', 'ruby', 'static').optional(),
  submodules: z.boolean().optional(),
});
