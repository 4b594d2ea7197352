import { digestOf, fail, LIMITS, ok, problem, type Result, releaseName } from '../../kernel/index.ts';
import type { GitSource, PullRequest, PullRequestPlan, Release } from '../../ports/index.ts';
import { type Application, specDigest } from '../../spec/index.ts';
import { auditPush } from '../audit-push.ts';
import type { Deps } from '../context.ts';
import { acceptedBuilds } from '../plan-builds.ts';
import { isEnded } from '../release/conclude.ts';
import { packSpec } from '../release-body.ts';
import type { ValidSpec } from '../spec-at-commit.ts';
import { wantsEnvironment } from './due.ts';
import type { Preview } from './names.ts';
import { headRelease } from './observe.ts';
import { endOf } from './place.ts';

/** The head an environment is to have. */
export type Head = {
  readonly source: GitSource;
  readonly plan: PullRequestPlan;
  readonly request: Pick<PullRequest, 'base' | 'ref' | 'branch'>;
  readonly commit: string;
  /** Under the environment's own name. */
  readonly desired: Application;
  readonly imported: ValidSpec['imported'];
  /** Which comments ask for it once more; empty when none does. */
  readonly asked: string;
};

/** The release that carries a head; `undefined` when it is to be accepted yet. One that failed is tried again when a person asks. */
export function releaseOf(releases: readonly Release[], head: Head): Release | undefined {
  const own = headRelease(releases);
  if (own === undefined || own.spec.origin.commit !== head.commit || own.spec.specDigest !== specDigest(head.desired))
    return undefined;
  const isRetried = head.asked !== '' && isEnded(own) && own.status.state !== 'succeeded';
  return isRetried && own.spec.origin.trigger !== triggerOf(head) ? undefined : own;
}

/**
 * Accepts a release of the head and answers it. Like a push's (invariant 10): what it depends on is read once more right before the one write
 * that counts, the creation, whose name is the revision. Each head that is accepted moves the end of the environment on. `conflict` when
 * anything moved.
 */
export async function acceptHead(
  deps: Deps,
  input: {
    readonly application: Preview;
    readonly releases: readonly Release[];
    /** The newest revision on record under the name, whoever's. */
    readonly after: number;
    readonly head: Head;
  },
): Promise<Result<Release>> {
  const { application, releases, head } = input;
  if (releases.filter((release) => !isEnded(release)).length >= LIMITS.pendingReleases)
    return fail(problem('queue_full', undefined, { afterMs: 5000 }));
  const renewed = await renew(deps, application, head);
  if (!renewed.ok) return renewed;
  const { project, environment, name } = application.spec;
  const key = { project, environment, name };
  const imported = await deps.secrets.addImported(key, head.imported);
  if (!imported.ok) return imported;
  const current = await isCurrent(deps, head);
  if (!current.ok) return current;
  if (!current.value) return fail(problem('conflict'));
  const { source, plan, request, commit, desired } = head;
  const revision = Math.max(input.after, application.status.acceptedRevision ?? 0) + 1;
  const created = await deps.store.releases.create({
    name: releaseName(application.name, revision),
    spec: {
      application: application.name,
      applicationId: application.spec.id,
      revision,
      specDigest: specDigest(desired),
      spec: packSpec(desired),
      origin: {
        kind: 'preview',
        actor: source.spec.grant.owner,
        plan: plan.name,
        ref: request.base,
        commit,
        grantRevision: source.spec.grant.revision,
        trigger: triggerOf(head),
      },
      ...acceptedBuilds(deps, desired, { key, commit }),
    },
  });
  if (!created.ok) return created.problem.code === 'already_exists' ? fail(problem('conflict')) : created;
  await auditPush(deps, source, { release: created.value, before: releases[0] });
  return created;
}

/** Tells the application which revision it waits for; repeated for a run that was cut off after the acceptance. */
export async function awaitRelease(deps: Deps, { spec }: Release): Promise<Result<unknown>> {
  return deps.store.applications.updateStatus(spec.application, ({ status }) =>
    (status.acceptedRevision ?? 0) >= spec.revision && (status.gitRevision ?? 0) >= spec.revision
      ? undefined
      : {
          ...status,
          acceptedRevision: Math.max(status.acceptedRevision ?? 0, spec.revision),
          gitRevision: spec.revision,
          phase: 'queued',
        },
  );
}

function triggerOf({ plan, commit, desired, asked }: Head): string {
  return digestOf([plan.uid, commit, specDigest(desired), asked]);
}

function renew(deps: Deps, { name, uid }: Preview, { source, request }: Head): Promise<Result<unknown>> {
  const expiresAt = endOf(source, deps.clock.now());
  return deps.store.applications.update(name, ({ spec, ...current }) => {
    const { preview } = spec;
    if (preview === undefined || current.uid !== uid || current.deleting || preview.expiresAt >= expiresAt)
      return undefined;
    const { branch: _branch, ...others } = preview;
    const branch = request.branch === undefined ? {} : { branch: request.branch };
    return { spec: { ...spec, preview: { ...others, ...branch, expiresAt } } };
  });
}

/** Whether source, plan and application still are what the head was judged by. */
async function isCurrent(deps: Deps, { source, plan }: Head): Promise<Result<boolean>> {
  const now = await deps.store.sources.get(source.name);
  if (!now.ok) return now;
  const planned = await deps.store.plans.get(plan.name);
  if (!planned.ok) return planned;
  const isSame = now.value?.uid === source.uid && now.value.generation === source.generation;
  const isOpen = planned.value?.uid === plan.uid && planned.value.status.closed !== true;
  return ok(isSame && isOpen && now.value !== undefined && wantsEnvironment(now.value, {}));
}
