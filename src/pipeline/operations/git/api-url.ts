import type { CreateRepository } from '../../../ports/api/index.ts';
import type { StandardUrls } from '../../forge-pace.ts';

type Where = Pick<CreateRepository, 'provider' | 'url' | 'local'>;

/**
 * Where the API of a repository's forge is, when that is not the installation's standard one: at the host of the clone URL, which is read from
 * anyway, so that a token is never sent to another forge than its own. `undefined` where the standard is right, and for a local repository, whose
 * forge is wherever the installation says. GitHub Enterprise has its API at `/api/v3` (REST API, getting started), with data residency at
 * `api.SUBDOMAIN.ghe.com`, GitLab at `/api/v4`.
 */
export function derivedApiUrl({ provider, url, local }: Where, standard: StandardUrls): string | undefined {
  const host = URL.parse(url)?.host;
  if (host === undefined || local === true || host === forgeHost(standard[provider])) return undefined;
  if (provider === 'gitlab') return `https://${host}/api/v4`;
  const isHosted = host === 'github.com' || host.endsWith('.ghe.com');
  return isHosted ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** The host that the forge of an API serves repositories at. */
function forgeHost(apiUrl: string): string | undefined {
  const host = URL.parse(apiUrl)?.host;
  return host === 'api.github.com' || host?.endsWith('.ghe.com') === true ? host.replace(/^api\./, '') : host;
}
