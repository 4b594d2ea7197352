import { LIMITS, type Problem, problem } from '../kernel/index.ts';
import { type Locator, locateKeys } from './locate.ts';
import { type Finding, formatPath } from './path.ts';

/** Unknown keys: some of them, and how many there are. */
export type UnknownKeys = { readonly listed: readonly Finding[]; readonly count: number };

/**
 * Problems in the order of the file; of unknown keys at most 16 are listed, the last problem says how many more there are. Without the
 * TOML text problems have no positions and keep their order.
 */
export function toProblems(
  known: readonly Finding[],
  unknown: UnknownKeys,
  document: string | undefined,
): readonly Problem[] {
  const paths = [...known, ...unknown.listed].map(({ path }) => path);
  const locator = document === undefined ? undefined : locateKeys(document, paths);
  const listed = inOrder(unknown.listed, locator).slice(0, LIMITS.unknownKeysListed);
  const more = unknown.count - listed.length;
  const problems = inOrder([...known, ...listed], locator).map((finding) => toProblem(finding, locator));
  return more > 0 ? [...problems, problem('invalid_spec', `${more} more unknown keys are not listed`)] : problems;
}

function inOrder(findings: readonly Finding[], locator: Locator | undefined): readonly Finding[] {
  if (locator === undefined) return findings;
  return findings
    .map((finding) => ({ finding, offset: locator.offset(finding.path) }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ finding }) => finding);
}

function toProblem({ path, message, code }: Finding, locator: Locator | undefined): Problem {
  const position = locator?.position(path);
  return problem(code ?? 'invalid_spec', message, {
    ...(path.length === 0 ? {} : { at: formatPath(path) }),
    ...(position === undefined ? {} : { position }),
  });
}
