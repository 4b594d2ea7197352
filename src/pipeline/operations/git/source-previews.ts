import { canManagePreviews, denied, type Principal, refusal, type Scope } from '../../../access/index.ts';
import { fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import type { SetPreviews, SourceOperations, SourcePreviews } from '../../../ports/api/index.ts';
import type { GitSource } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import type { By, GitDeps } from './context.ts';
import { findSource, resourceOf } from './find-source.ts';

/** Hours an environment lives from its last head when nobody says (facts 4.9 allow 1 to 72). */
const TTL_HOURS = 24;

/** Whether requests to a source's ref get preview environments. Letting them takes what managing the environments takes. */
export function sourcePreviewOperations(deps: GitDeps): Pick<SourceOperations, 'previews' | 'setPreviews'> {
  return {
    previews: async (principal, { id }) => {
      const found = await findSource(deps, id, (target) => refusal(principal, 'deployments:read', target));
      return found.ok ? ok(previewsOf(found.value.spec)) : found;
    },
    setPreviews: (principal, { id, ...choice }, info) => setPreviews(deps, { principal, info }, { id, choice }),
  };
}

/** Facts 4.9: deploying to the whole environment, as a project administrator or by a machine's key of exactly it. */
export function previewRefusal(principal: Principal, { project = '', environment = '' }: Scope): Problem | undefined {
  const place = { project, environment };
  if (canManagePreviews(principal, place)) return undefined;
  const lacking = refusal(principal, 'deployments:write', place);
  if (lacking !== undefined) return lacking;
  const { message } = denied('deployments:write', place);
  return problem('permission_denied', `${message}, of a project administrator or by a machine key of exactly it`);
}

/** What a source says about previews, in the words of the wire. */
export function previewsOf({ previewEnvironments }: Pick<GitSource['spec'], 'previewEnvironments'>): SourcePreviews {
  return previewEnvironments === undefined
    ? { enabled: false }
    : { enabled: true, ttl_hours: previewEnvironments.ttlHours };
}

/** The setting a choice comes to, for a source with this grant. */
export function previewSetting(
  choice: SetPreviews,
  { grant, previewEnvironments }: Pick<GitSource['spec'], 'grant' | 'previewEnvironments'>,
): Result<GitSource['spec']['previewEnvironments']> {
  if (!choice.enabled)
    return choice.ttl_hours === undefined
      ? ok(undefined)
      : fail(problem('invalid_request', 'goes with enabled: true alone', { at: 'ttl_hours' }));
  if (grant.pullRequests === 'none')
    return fail(
      problem('invalid_request', 'the grant plans no pull requests; set its pull_requests to plan', { at: 'enabled' }),
    );
  return ok({ ttlHours: choice.ttl_hours ?? previewEnvironments?.ttlHours ?? TTL_HOURS });
}

/** The source's open requests are planned again, and get their environments or lose them. */
async function setPreviews(
  deps: GitDeps,
  by: By,
  { id, choice }: { readonly id: string; readonly choice: SetPreviews },
): Promise<Result<SourcePreviews>> {
  const found = await findSource(deps, id, (target) => previewRefusal(by.principal, target));
  if (!found.ok) return found;
  let setting: ReturnType<typeof previewSetting> = ok(undefined);
  const written = await deps.store.sources.update(id, ({ spec }) => {
    setting = previewSetting(choice, spec);
    const { previewEnvironments: _before, ...others } = spec;
    return setting.ok
      ? { spec: setting.value === undefined ? others : { ...others, previewEnvironments: setting.value } }
      : undefined;
  });
  if (!setting.ok) return setting;
  if (!written.ok) return written;
  const sides = { before: found.value.spec, after: written.value.spec };
  await audited(deps, by, { action: 'source.previews', resource: resourceOf(written.value), ...sides });
  return ok(previewsOf(written.value.spec));
}
