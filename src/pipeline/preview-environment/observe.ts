import { releaseName } from '../../kernel/index.ts';
import type { PlanEnvironment, Release } from '../../ports/index.ts';
import { isEnded } from '../release/conclude.ts';
import type { Preview } from './names.ts';

/** The head an environment was last given. `releases` are newest first. */
export function headRelease(releases: readonly Release[]): Release | undefined {
  return releases.find(({ spec }) => spec.origin.kind === 'preview');
}

/** How an environment stands, by its newest release; somebody may have restarted a service over the API since the head was deployed. */
export function observeEnvironment(
  application: Preview,
  releases: readonly Release[],
  commit: string,
): PlanEnvironment {
  const [latest] = releases;
  const { name, spec, status } = application;
  const base = { application: name, commit, expiresAt: spec.preview.expiresAt };
  if (latest === undefined) return { ...base, state: 'deploying' };
  const { revision } = latest.spec;
  const isTold = status.phase !== 'queued' && (status.acceptedRevision ?? 0) <= revision;
  if (!isEnded(latest) || !isTold) return { ...base, state: 'deploying', revision };
  if (latest.status.state === 'succeeded') return { ...base, state: 'ready', revision, ...addressesOf(application) };
  const { code = 'rollout_failed', message, at } = latest.status;
  const said = [...(at === undefined ? [] : [at]), message ?? `${releaseName(name, revision)} did not succeed`];
  return { ...base, state: 'failed', revision, code, message: said.join(': ') };
}

function addressesOf({ status }: Preview): Pick<PlanEnvironment, 'url' | 'urls'> {
  const urls = Object.fromEntries(
    (status.services ?? []).flatMap(({ name, url }) => (url === undefined ? [] : [[name, url] as const])),
  );
  const [url] = Object.values(urls);
  return url === undefined ? {} : { url, urls };
}
