import { DIGEST, fail, ok, problem, type Result } from '../kernel/index.ts';

/** The reference a workload runs: `repository@sha256:...`. `build_failed` when the engine's digest is none. */
export function builtImage(repository: string, digest: string): Result<string> {
  const clean = digest.trim();
  return DIGEST.test(clean)
    ? ok(`${repository}@${clean}`)
    : fail(problem('build_failed', 'the build engine did not answer with a digest'));
}
