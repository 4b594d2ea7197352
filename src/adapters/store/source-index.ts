import type { GitSource } from '../../ports/index.ts';

/** Sources by repository and ref, so that a push costs what it touches and not what the installation holds. */
export type SourceIndex = {
  change(before: GitSource | undefined, after: GitSource | undefined): void;
  sourcesOf(repository: string, ref: string): readonly GitSource[];
  repositoryRefs(repository: string): readonly string[];
};

/** An empty index. */
export function createSourceIndex(): SourceIndex {
  const repositories = new Map<string, Map<string, Map<string, GitSource>>>();

  const remove = (source: GitSource): void => {
    const refs = repositories.get(source.spec.repository);
    const sources = refs?.get(source.spec.ref);
    sources?.delete(source.name);
    if (sources?.size === 0) refs?.delete(source.spec.ref);
    if (refs?.size === 0) repositories.delete(source.spec.repository);
  };
  const add = (source: GitSource): void => {
    const { repository, ref } = source.spec;
    const refs = repositories.get(repository) ?? new Map<string, Map<string, GitSource>>();
    repositories.set(repository, refs);
    const sources = refs.get(ref) ?? new Map<string, GitSource>();
    refs.set(ref, sources);
    sources.set(source.name, source);
  };
  return {
    change: (before, after) => {
      if (before !== undefined) remove(before);
      if (after !== undefined) add(after);
    },
    sourcesOf: (repository, ref) => [...(repositories.get(repository)?.get(ref)?.values() ?? [])],
    repositoryRefs: (repository) => [...(repositories.get(repository)?.keys() ?? [])],
  };
}
