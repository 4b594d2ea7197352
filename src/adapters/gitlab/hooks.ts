import { fail, ok, problem, type Result } from '../../kernel/index.ts';
import type { ForgeDelivery, ForgeHook, ForgeHooks, HookEvent, WantedHook } from '../../ports/index.ts';
import { type GitlabApiOptions, openGitlabApi } from './api.ts';
import { Hook, HookDeliveries, HookList } from './schema.ts';

/** A delivery is listed with its payload and what we answered, so one needs room; a push's payload is the largest. */
const MAX_BYTES = 2 * 1024 * 1024;
const PAGE_SIZE = 100;
const DELIVERIES = 5;

/** GitLab's switch for each event of ours. */
const SWITCHES: Readonly<Record<HookEvent, keyof Hook>> = {
  push: 'push_events',
  tag_push: 'tag_push_events',
  pull_request: 'merge_requests_events',
  comment: 'note_events',
};
/** All others, which nobody here reads. */
const OTHERS = [
  'issues_events',
  'confidential_issues_events',
  'confidential_note_events',
  'job_events',
  'pipeline_events',
  'wiki_page_events',
  'deployment_events',
  'releases_events',
] as const;

/** The webhooks of a project through GitLab's API (project webhooks). The token needs the scope `api` and the role Maintainer. */
export function createGitlabHooks(options: GitlabApiOptions): ForgeHooks & { stop(): Promise<void> } {
  const { call, stop } = openGitlabApi(options, MAX_BYTES);
  return {
    list: async (repository) =>
      call(repository, async ({ send }, project) => {
        const listed = await send('GET', pathOf(project), { searchParams: { perPage: PAGE_SIZE } });
        return HookList.parse(listed).map(hookOf);
      }),

    create: async (repository, wanted) => {
      const made = await call(repository, async ({ send }, project) =>
        Hook.parse(await send('POST', pathOf(project), { body: bodyOf(wanted) })),
      );
      if (!made.ok || signsAsWanted(made.value, wanted)) return made.ok ? ok(hookOf(made.value)) : made;
      // Every delivery of it would be refused.
      await call(repository, ({ send }, project) => send('DELETE', pathOf(project, String(made.value.id))));
      return fail(unsigned());
    },

    update: async (repository, id, wanted) => {
      const changed = await call(repository, async ({ send }, project) =>
        Hook.parse(await send('PUT', pathOf(project, id), { body: bodyOf(wanted) })),
      );
      if (!changed.ok) return changed;
      return signsAsWanted(changed.value, wanted) ? ok(hookOf(changed.value)) : fail(unsigned());
    },

    remove: async (repository, id) => {
      const removed = await call(repository, ({ send }, project) => send('DELETE', pathOf(project, id)));
      return removed.ok || removed.problem.code === 'forge_not_found' ? ok(undefined) : removed;
    },

    test: async (repository, id) => {
      const tested = await call(repository, ({ send }, project) =>
        send('POST', `${pathOf(project, id)}/test/push_events`, { body: {} }),
      );
      return tested.ok ? ok(undefined) : tested;
    },

    deliveries: async (repository, id): Promise<Result<readonly ForgeDelivery[]>> => {
      const listed = await call(repository, async ({ send }, project) => {
        const query = { page: 1, perPage: DELIVERIES };
        return HookDeliveries.parse(await send('GET', `${pathOf(project, id)}/events`, { searchParams: query }));
      });
      // Before GitLab 17.3 there is no such list.
      if (!listed.ok) return listed.problem.code === 'forge_not_found' ? ok([]) : listed;
      return ok(listed.value.map(deliveryOf));
    },

    stop,
  };
}

function pathOf(project: string, hook?: string): string {
  const base = `projects/${encodeURIComponent(project)}/hooks`;
  return hook === undefined ? base : `${base}/${encodeURIComponent(hook)}`;
}

/** Everything that is not said stays at GitLab, so all of it is said: a filter of branches would keep pushes from us. */
function bodyOf({ url, events, secret, auth }: WantedHook): Readonly<Record<string, unknown>> {
  const ours = Object.entries(SWITCHES).map(([event, field]) => [field, events.includes(event as HookEvent)]);
  return {
    url,
    ...Object.fromEntries(ours),
    ...Object.fromEntries(OTHERS.map((field) => [field, false])),
    push_events_branch_filter: '',
    branch_filter_strategy: 'all_branches',
    enable_ssl_verification: true,
    ...(auth === 'signing-token' ? { signing_token: secret } : { token: secret }),
  };
}

/** GitLab before version 19, or with its flag off, ignores a signing token without a word. */
function signsAsWanted(hook: Hook, { auth }: WantedHook): boolean {
  return auth !== 'signing-token' || hook.signing_token_present === true;
}

function unsigned() {
  return problem(
    'forge_rejected',
    'this GitLab does not sign deliveries, which it does since version 19; add the repository without --signing-token',
  );
}

function hookOf(hook: Hook): ForgeHook {
  const ours = Object.keys(SWITCHES) as HookEvent[];
  const filter = hook.push_events_branch_filter;
  const isFiltered = typeof filter === 'string' && filter !== '' && hook.branch_filter_strategy !== 'all_branches';
  return {
    id: String(hook.id),
    url: hook.url,
    // A hook that sends the pushes of some branches only does not send ours for all we know.
    events: ours.filter((event) => hook[SWITCHES[event]] === true && !(event === 'push' && isFiltered)),
    sendsMore: OTHERS.some((field) => hook[field] === true),
    state: stateOf(hook),
    verifiesTls: hook.enable_ssl_verification !== false,
    isJson: true,
  };
}

function stateOf({ alert_status: alert }: Hook): ForgeHook['state'] {
  return alert === 'disabled' ? 'disabled' : alert === 'temporarily_disabled' ? 'paused' : 'active';
}

/** `response_status` is a number as text, or a word such as `OK` or `internal error`. */
function deliveryOf({ id, trigger, response_status: word }: HookDeliveries[number]): ForgeDelivery {
  const text = String(word ?? '').trim();
  const status = /^\d{3}$/.test(text) ? Number(text) : WORDS[text.toLowerCase()];
  return {
    id: String(id),
    ...(trigger === undefined ? {} : { event: trigger }),
    ...(status === undefined ? {} : { status }),
    ok: status !== undefined && status >= 200 && status < 300,
  };
}

/** What a receiver like ours answers, as GitLab words it. */
const WORDS: Readonly<Record<string, number>> = {
  ok: 200,
  accepted: 202,
  unauthorized: 401,
  'not found': 404,
  'too many requests': 429,
  'service unavailable': 503,
};
