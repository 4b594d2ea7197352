import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { ForgeHook, ForgeHooks, HookEvent, WantedHook } from '../../ports/index.ts';
import { type GithubApiOptions, openGithubApi } from './api.ts';
import { Hook, HookDeliveries, HookList } from './schema.ts';

const PAGE_SIZE = 100;
const DELIVERIES = 20;

/** GitHub's word for each of ours; a pushed tag is a push. */
const EVENTS: Readonly<Record<HookEvent, string>> = {
  push: 'push',
  tag_push: 'push',
  pull_request: 'pull_request',
  comment: 'issue_comment',
};

/** The webhooks of a repository through GitHub's REST API (repos/webhooks). The token needs the right to administer them. */
export function createGithubHooks(options: GithubApiOptions): ForgeHooks & { stop(): Promise<void> } {
  const { call, stop } = openGithubApi(options);
  return {
    list: async (repository) =>
      call(repository, async ({ owner, repo }, request) => {
        const query = { owner, repo, per_page: PAGE_SIZE };
        const { data } = await request('GET /repos/{owner}/{repo}/hooks', query);
        return HookList.parse(data).map(hookOf);
      }),

    create: async (repository, wanted) => {
      const answer = await call(repository, ({ owner, repo }, request) =>
        request('POST /repos/{owner}/{repo}/hooks', { owner, repo, name: 'web', ...bodyOf(wanted) }),
      );
      // Anything but 201 was not answered by GitHub, so nothing says that the hook exists.
      return answer.ok ? read(answer.value.status === 201 ? answer.value.data : undefined) : answer;
    },

    update: async (repository, id, wanted) => {
      const answer = await call(repository, ({ owner, repo }, request) => {
        const call = { owner, repo, hook_id: Number(id), ...bodyOf(wanted) };
        return request('PATCH /repos/{owner}/{repo}/hooks/{hook_id}', call);
      });
      return answer.ok ? read(answer.value.data) : answer;
    },

    remove: async (repository, id) => {
      const removed = await call(repository, ({ owner, repo }, request) =>
        request('DELETE /repos/{owner}/{repo}/hooks/{hook_id}', { owner, repo, hook_id: Number(id) }),
      );
      return removed.ok || removed.problem.code === 'forge_not_found' ? ok(undefined) : removed;
    },

    test: async (repository, id) => {
      const tested = await call(repository, ({ owner, repo }, request) =>
        request('POST /repos/{owner}/{repo}/hooks/{hook_id}/pings', { owner, repo, hook_id: Number(id) }),
      );
      return tested.ok ? ok(undefined) : tested;
    },

    deliveries: async (repository, id) =>
      call(repository, async ({ owner, repo }, request) => {
        const query = { owner, repo, hook_id: Number(id), per_page: DELIVERIES };
        const { data } = await request('GET /repos/{owner}/{repo}/hooks/{hook_id}/deliveries', query);
        return HookDeliveries.parse(data).map(({ id: delivery, delivered_at: at, event, status_code: status }) => ({
          id: String(delivery),
          at,
          event,
          // GitHub writes 0 when nobody answered.
          ...(status >= 100 ? { status } : {}),
          ok: status >= 200 && status < 300,
        }));
      }),

    stop,
  };
}

/** The secret goes with every change: GitHub drops it when a configuration comes without. */
function bodyOf({ url, events, secret }: WantedHook) {
  return {
    active: true,
    events: [...new Set(events.map((event) => EVENTS[event]))],
    config: { url, content_type: 'json', secret, insecure_ssl: '0' },
  };
}

function read(data: unknown): Result<ForgeHook> {
  const hook = Hook.safeParse(data);
  return hook.success ? ok(hookOf(hook.data)) : fail(problem('forge_unavailable'));
}

function hookOf({ id, active, events, config }: Hook): ForgeHook {
  const isEverything = events.includes('*');
  const ours = Object.keys(EVENTS) as HookEvent[];
  const read = new Set(Object.values(EVENTS));
  return {
    id: String(id),
    url: config.url ?? '',
    events: ours.filter((event) => isEverything || events.includes(EVENTS[event])),
    sendsMore: events.some((event) => !read.has(event)),
    state: active ? 'active' : 'inactive',
    verifiesTls: String(config.insecure_ssl ?? '0') === '0',
    isJson: config.content_type === 'json',
  };
}
