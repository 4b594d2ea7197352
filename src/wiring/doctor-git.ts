import { createGitReader } from '../adapters/git/index.ts';
import { createStore } from '../adapters/store/index.ts';
import type { Finding } from '../cli/index.ts';
import { describe, type Problem, type RefName } from '../kernel/index.ts';
import { pollSeconds } from '../pipeline/hooks/index.ts';
import { forgeOf, remoteOf } from '../pipeline/remote.ts';
import { withGitRenewal } from '../pipeline/renewal.ts';
import type { CredentialStore, GitRepository } from '../ports/index.ts';
import { openCredentials, openForges, outsideOf } from './forges.ts';
import { type Foundation, version } from './foundation.ts';

/** So many repositories are tried; the first by name. */
const TRIED = 50;

/**
 * Tries each repository as a worker would: reads its refs from the Git server, asks the forge for its open requests with the token, and looks
 * whether its hook has a secret and was ever called. Nothing is written but the token of an OAuth grant that is due.
 */
export async function repositories(foundation: Foundation): Promise<readonly Finding[]> {
  const { cluster, config, log } = foundation;
  const { namespace } = config;
  const store = createStore({ cluster, namespace, log });
  const { gitCacheBytes: cacheBytes, shallowLimitBytes } = config;
  const outside = { ...outsideOf(foundation), userAgent: `hakopod/${version()}` };
  const credentials = openCredentials(foundation);
  const git = withGitRenewal(createGitReader({ ...outside, cacheBytes, shallowLimitBytes, log }), credentials);
  const forges = openForges(foundation, credentials);
  await store.start();
  try {
    const known = [...store.repositories.all()].sort((a, b) => a.name.localeCompare(b.name)).slice(0, TRIED);
    const found = await Promise.all(
      known.map(async (repository): Promise<readonly Finding[]> => {
        const what = `repository ${repository.spec.project}`;
        const options = { localRepositories: config.localRepositories } as Parameters<typeof remoteOf>[1]['options'];
        const remote = await remoteOf(repository, { credentials, options });
        const refs = store.repositoryRefs(repository.name) as readonly RefName[];
        const read = remote.ok ? await git.listRefs(remote.value, refs, AbortSignal.timeout(PATIENCE_MS)) : remote;
        const forge = await forgeOf(repository, credentials);
        const asked = forge.ok ? await forges.pullRequests.open(forge.value) : forge;
        return [
          {
            what: `${what}: contents`,
            ok: read.ok,
            detail: read.ok ? 'can be read' : advice(read.problem),
          },
          {
            what: `${what}: token`,
            ok: asked.ok,
            detail: asked.ok ? 'works at the forge' : advice(asked.problem),
          },
          await hook(repository, credentials),
        ];
      }),
    );
    return found.flat();
  } finally {
    await store.stop();
    await forges.stop();
    await credentials.stop();
  }
}

const PATIENCE_MS = 15_000;

/** An ended grant says itself what to do. */
function advice(found: Problem): string {
  const words = describe(found);
  return found.code === 'oauth_grant_ended'
    ? words
    : `${words}; \`hakopod repos add\` with --token-stdin saves a new token`;
}

async function hook({ name, spec, status }: GitRepository, credentials: CredentialStore): Promise<Finding> {
  const what = `repository ${spec.project}: webhook`;
  const secret = await credentials.hasHookSecret(spec.webhookSecret ?? `${name}-hook`);
  if (!secret.ok) return { what, ok: false, detail: describe(secret.problem) };
  if (!secret.value) return { what, ok: false, detail: 'has no secret; `hakopod sources add` makes a new one' };
  const { health, faults = [] } = status.webhook ?? {};
  const polled = `polled each ${pollSeconds({ spec, status })} s instead of ${spec.intervalSeconds} s`;
  if (health === 'dead')
    return {
      what,
      ok: false,
      detail: `does not work: ${faults.join(', ')}; ${polled} until it does; \`hakopod sources webhook show\` says more`,
    };
  if (health === 'healthy') return { what, ok: true, detail: `works; ${polled}` };
  const detail =
    status.lastDeliveryAt === undefined
      ? 'nothing was ever delivered; the poller finds pushes, and a hook at the forge finds them sooner'
      : `last delivery ${status.lastDeliveryAt}`;
  return { what, ok: true, detail };
}
