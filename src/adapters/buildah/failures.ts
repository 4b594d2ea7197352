import { type Problem, problem } from '../../kernel/index.ts';

/** Words of buildah when a registry did not answer, as opposed to answering no. Only its own last line is looked at. */
const AWAY =
  /connection refused|connection reset|i\/o timeout|TLS handshake timeout|no such host|unexpected EOF|temporary failure|network is unreachable|context deadline exceeded|received unexpected HTTP status: 5\d\d|toomanyrequests/i;
const UNAUTHORIZED = /unauthorized|authentication required|denied/i;
const REGISTRY =
  /initializing source|pinging container registry|copying (?:image|config|blob)|reading (?:blob|manifest)|trying to reuse blob|writing blob|uploading|pushing image/i;

/** What a build that ended with an error means. */
export function buildProblem(lastLine: string): Problem {
  if (/is rejected by policy/.test(lastLine))
    return problem('grant_refused', 'the grant does not list the registry of a base image');
  if (REGISTRY.test(lastLine) && AWAY.test(lastLine))
    return problem('registry_unavailable', 'the registry of a base image could not be reached');
  return problem('build_failed');
}

/** What a push that ended with an error means; `cause` is for the log only. */
export function pushProblem(lastLine: string): Problem {
  const cause = lastLine.slice(0, 200);
  return UNAUTHORIZED.test(lastLine)
    ? problem('registry_unauthorized', 'the build registry refused the push', { cause })
    : problem('registry_unavailable', 'the image could not be pushed to the build registry', { cause });
}
