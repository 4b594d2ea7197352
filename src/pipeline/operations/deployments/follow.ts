import type { Deployment, ReleaseFollower } from '../../../ports/api/index.ts';
import type { Deps } from '../../context.ts';
import { deploymentOf } from './view.ts';

type Followed = {
  readonly listeners: Set<(deployment: Deployment) => void>;
  last: Deployment | undefined;
  stop: () => void;
};

/**
 * Follows releases for any number of readers with one watch each: the first reader of a release starts its watch, the last one ends it, and
 * each change is worked out once for all of them.
 */
export function followReleases(deps: { readonly store: Deps['store'] }): ReleaseFollower {
  const followed = new Map<string, Followed>();

  const begin = (id: string): Followed => {
    const one: Followed = { listeners: new Set(), last: undefined, stop: () => {} };
    followed.set(id, one);
    one.stop = deps.store.releases.watch(id, (release) => {
      const { application } = release.spec;
      const around = {
        application: deps.store.applications.cached(application),
        source: deps.store.sources.cached(application),
      };
      one.last = deploymentOf(release, around);
      for (const listener of [...one.listeners]) listener(one.last);
    });
    return one;
  };

  return {
    follow(id, onState) {
      const one = followed.get(id) ?? begin(id);
      const listener = (deployment: Deployment): void => onState(deployment);
      one.listeners.add(listener);
      if (one.last !== undefined) listener(one.last);
      return {
        stop: () => {
          one.listeners.delete(listener);
          if (one.listeners.size > 0 || followed.get(id) !== one) return;
          followed.delete(id);
          one.stop();
        },
      };
    },
  };
}
