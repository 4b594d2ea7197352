import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { Clock, ForgeRepository, OpenHttp } from '../../ports/index.ts';
import { createGitlab, type Gitlab } from './client.ts';
import { gitlabProblem, spentMs } from './problems.ts';

const DEFAULT_API_URL = 'https://gitlab.com/api/v4';
/** Facts 4.1: one call takes at most 15 s. */
const DEADLINE_MS = 15_000;

export type GitlabApiOptions = {
  readonly openHttp: OpenHttp;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For repositories without an own one; self-managed is `https://HOST/api/v4`. */
  readonly apiUrl?: string;
  /** PEM bundle trusted besides the usual roots. */
  readonly ca?: string;
  readonly proxy?: string;
  /** Milliseconds a call may take; 15 s. */
  readonly timeoutMs?: number;
  /** Told when an answer says that nothing is left of the repository's limit for so many milliseconds, also one of a success. */
  readonly onSpent?: (repository: ForgeRepository, afterMs: number) => void;
};

export type GitlabApi = {
  /** Runs requests for one repository under one deadline; what they throw becomes a problem of ours. */
  call<T>(
    repository: ForgeRepository,
    run: (gitlab: Gitlab, project: string, token: string) => Promise<T>,
  ): Promise<Result<T>>;
  stop(): Promise<void>;
};

/** GitLab's API as the token of the repository. `maxBytes` of an answer are read; 512 KiB when not given. */
export function openGitlabApi(options: GitlabApiOptions, maxBytes?: number): GitlabApi {
  const { userAgent } = options;
  const timeoutMs = options.timeoutMs ?? DEADLINE_MS;
  const http = options.openHttp({
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });
  return {
    async call(repository, run) {
      const { token } = repository;
      if (token === undefined || token === '') return fail(problem('forge_unauthorized'));
      const host = gitlabHost(repository.apiUrl ?? options.apiUrl);
      // The id survives renames; the path is for repositories known by path only.
      const project = /^\d+$/.test(repository.repositoryId) ? repository.repositoryId : repository.project;
      const onHeaders = (headers: Readonly<Record<string, string>>): void => {
        const afterMs = spentMs(headers, options.clock.now());
        if (afterMs !== undefined) options.onSpent?.(repository, afterMs);
      };
      const limits = { timeoutMs, onHeaders, ...(maxBytes === undefined ? {} : { maxBytes }) };
      try {
        return ok(await run(createGitlab(http, { host, token, userAgent, ...limits }), project, token));
      } catch (error) {
        return fail(gitlabProblem(error, { now: options.clock.now(), token }));
      }
    },
    stop: () => http.close(),
  };
}

/** Where GitLab is, without the `/api/v4` that Gitbeaker adds itself and that what is no API does not have. */
export function gitlabHost(apiUrl = DEFAULT_API_URL): string {
  return apiUrl.replace(/\/+$/, '').replace(/\/api\/v4$/, '');
}
