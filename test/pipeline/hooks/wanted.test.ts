import { describe, expect, it } from 'vitest';
import { wantedEvents } from '../../../src/pipeline/hooks/index.ts';
import type { GitRepository, GitSource } from '../../../src/ports/index.ts';

type About = {
  readonly ref?: string;
  readonly pullRequests?: 'plan' | 'none';
  readonly mode?: 'automatic' | 'approval';
  readonly deleting?: boolean;
};

function eventsOf(forge: 'github' | 'gitlab', sources: readonly About[]): string {
  const made = sources.map(({ ref = 'refs/heads/main', pullRequests = 'none', mode, deleting = false }) => {
    const policy = mode === undefined ? {} : { policy: { mode, checks: [], freeze: [] } };
    return { deleting, spec: { ref, grant: { pullRequests }, ...policy } } as unknown as GitSource;
  });
  const store = {
    repositoryRefs: () => [...new Set(made.map(({ spec }) => spec.ref))],
    sourcesOf: (_name: string, ref: string) => made.filter(({ spec }) => spec.ref === ref),
  };
  const repository = { name: 'one', spec: { forge } } as unknown as GitRepository;
  return wantedEvents({ store }, repository).join(' ');
}

describe('the events of a hook', () => {
  it.each([
    ['no source yet', [], 'push pull_request comment'],
    ['a branch that is not planned', [{}], 'push'],
    ['a branch whose requests are planned', [{ pullRequests: 'plan' }], 'push pull_request comment'],
    ['a branch that waits for approvals', [{ mode: 'approval' }], 'push comment'],
    ['a branch that is released at once', [{ mode: 'automatic' }], 'push'],
    ['tags', [{ ref: 'refs/tags/v*', pullRequests: 'plan', mode: 'approval' }], 'push tag_push'],
    ['tags and a branch', [{ ref: 'refs/tags/v1' }, { pullRequests: 'plan' }], 'push tag_push pull_request comment'],
    [
      'a source on its way out',
      [{}, { ref: 'refs/tags/v*', deleting: true }, { pullRequests: 'plan', deleting: true }],
      'push',
    ],
  ] as const)('are the fewest for %s', (_what, sources, expected) => {
    expect(eventsOf('gitlab', sources)).toBe(expected);
  });

  it('have pushed tags with the pushes where the forge does not tell them apart', () => {
    expect(eventsOf('github', [{}])).toBe('push tag_push');
    expect(eventsOf('github', [{ pullRequests: 'plan' }])).toBe('push tag_push pull_request comment');
  });
});
