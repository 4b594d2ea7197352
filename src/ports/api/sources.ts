import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { HexId, Name, PageQuery, pageOf, Revision, Timestamp } from './common.ts';
import { type ApprovePlan, type SetPolicy, SourcePolicy, SourceWait } from './policies.ts';
import { type SetPreviews, SourcePreviews } from './previews.ts';
import { RepositoryName } from './repositories.ts';

/** `project.environment.application`: an application has at most one source. */
export const SourceId = z
  .string()
  .max(130)
  .regex(/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/)
  .meta({ description: 'project.environment.application' });
export const SourceParams = z.strictObject({ id: SourceId });

const Limit = z.int().min(0).max(1_000_000_000_000).optional();
export const GrantLimits = z.strictObject({
  services: z.int().min(0).max(20).optional(),
  replicas: z.int().min(0).max(100_000).optional(),
  cpu_millis: Limit.meta({ description: 'sum of CPU requests, all replicas' }),
  memory_bytes: Limit.meta({ description: 'sum of memory requests, all replicas' }),
});
const Domains = z
  .array(z.string().regex(/^(?:\*\*?\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?$/))
  .max(100)
  .meta({ description: 'custom domains the file may claim; *. in front is allowed' });
const Registries = z
  .array(z.string().regex(/^[\w.*:-]{1,255}$/))
  .max(100)
  .meta({ description: 'hosts images may come from; ** is any' });
const BuildArgs = z
  .array(z.string().regex(/^[\w*]{1,128}$/))
  .max(100)
  .meta({ description: 'build args the file may set; ** is any' });
const Days = z.int().min(1).max(3650).meta({ description: 'days from now until it expires' });

/** What a push may do, and until when. It can not authenticate to anything (facts 4.3). */
export const Grant = z.strictObject({
  owner: z.string(),
  revision: Revision,
  permissions: z.array(z.enum(['deployments:read', 'deployments:write'])),
  refs: z.array(z.string()),
  path: z.string(),
  domains: z.array(z.string()),
  registries: z.array(z.string()),
  build_args: z.array(z.string()),
  limits: GrantLimits,
  pull_requests: z.enum(['plan', 'none']),
  expires_at: Timestamp,
  expired: z.boolean(),
  expires_soon: z.boolean().meta({ description: 'within 14 days: renew it' }),
});
export type Grant = z.infer<typeof Grant>;

/** What happens with what somebody changed by hand in the cluster. */
export const DriftPolicy = z
  .enum(['correct', 'report'])
  .meta({ description: 'what happens with what somebody changed by hand: it is put right, or only shown' });
export const SetDeployments = z.strictObject({ enabled: z.boolean() });
export const SetDrift = z.strictObject({ policy: DriftPolicy });

const GrantChoice = {
  domains: Domains.optional(),
  registries: Registries.optional(),
  build_args: BuildArgs.optional(),
  limits: GrantLimits.optional(),
  pull_requests: z.enum(['plan', 'none']).optional(),
};
export const SetGrant = z.strictObject({ ...GrantChoice, days: Days.optional(), expected_revision: Revision.min(1) });
export type SetGrant = z.infer<typeof SetGrant>;
export const RenewGrant = z.strictObject({ days: Days.optional().meta({ description: '90 when absent' }) });

export const SourceReport = z.strictObject({
  commit_sha: z.string(),
  outcome: z.string(),
  description: z.string(),
  posted: z.boolean(),
  at: Timestamp,
});
/** A binding of a repository's ref and path to an application, and how it stands. */
export const Source = z.strictObject({
  id: SourceId,
  project: Name,
  environment: Name,
  application: Name,
  application_id: HexId.optional(),
  repository: z.string().meta({ description: 'name of the repository' }),
  repository_path: z.string().optional().meta({ description: 'owner/name or group/path at the forge' }),
  ref: z.string(),
  path: z.string(),
  revision: z.int().meta({ description: '+1 with each change of the binding or its grant' }),
  suspended: z.boolean(),
  drift: DriftPolicy,
  deployments: z.boolean().meta({ description: 'whether releases are shown as deployments of the forge too' }),
  previews: SourcePreviews.meta({ description: 'whether requests get an environment of their own' }),
  state: z.string().meta({ description: 'ready, new, removing, suspended, or the reason it is not ready' }),
  message: z.string().optional(),
  grant: Grant,
  last_commit: z.string().optional(),
  last_plan: z
    .strictObject({
      commit_sha: z.string(),
      outcome: z.string(),
      code: z.string().optional(),
      message: z.string().optional(),
      at: Timestamp,
    })
    .optional(),
  policy: SourcePolicy,
  waiting: SourceWait.optional().meta({ description: 'the plan that the policy keeps from being released' }),
  last_deployment: z.string().optional().meta({ description: 'id of the last release it made' }),
  last_error: z.string().optional(),
  reports: z.array(SourceReport).max(10).meta({ description: 'newest first' }),
  created_at: Timestamp,
});
export type Source = z.infer<typeof Source>;
export const SourcePage = pageOf(Source);
export const SourceQuery = z.strictObject({
  project: Name.optional(),
  environment: Name.optional(),
  repository: RepositoryName.optional(),
  ...PageQuery,
});

export const CreateSource = z.strictObject({
  project: Name,
  environment: Name,
  application: Name,
  repository: RepositoryName.meta({ description: 'name of a repository of POST /repositories' }),
  ref: z.string().min(1).max(255).meta({
    description: 'a full ref, the name of a branch, or a pattern of tags such as refs/tags/v* whose newest is followed',
  }),
  path: z.string().min(1).max(256).meta({ description: 'a clean relative path that ends in .toml' }),
  drift: DriftPolicy.optional(),
  previews: SourcePreviews.optional(),
  ...GrantChoice,
  days: Days.optional(),
});
export type CreateSource = z.infer<typeof CreateSource>;
export const SourceRemoved = z.strictObject({
  status: z.literal('deleted'),
  webhook_revoked: z.boolean().meta({ description: 'it was the last source of its repository' }),
});

type ById = { readonly id: string };

/** Deploy policies of sources, and the approvals they ask for. */
export interface PolicyOperations {
  policy: Operation<ById, SourcePolicy>;
  setPolicy: Operation<ById & SetPolicy, SourcePolicy>;
  approve: Operation<ById & ApprovePlan, Source>;
}

/** Whether requests to a source's ref get an environment of their own. */
export interface SourcePreviewOperations {
  previews: Operation<ById, SourcePreviews>;
  setPreviews: Operation<ById & SetPreviews, SourcePreviews>;
}

/** Sources. Binding takes git:manage and deployments:write; what they may do is their grant. */
export interface SourceOperations extends PolicyOperations, SourcePreviewOperations {
  list: Operation<
    PageInput & {
      readonly project?: string | undefined;
      readonly environment?: string | undefined;
      readonly repository?: string | undefined;
    },
    Page<Source>
  >;
  create: Operation<CreateSource, Source>;
  show: Operation<ById, Source>;
  remove: Operation<ById, z.infer<typeof SourceRemoved>>;
  sync: Operation<ById, Source>;
  suspend: Operation<ById, Source>;
  resume: Operation<ById, Source>;
  setDrift: Operation<ById & z.infer<typeof SetDrift>, Source>;
  setDeployments: Operation<ById & z.infer<typeof SetDeployments>, Source>;
  grant: Operation<ById, Grant>;
  setGrant: Operation<ById & SetGrant, Grant>;
  renewGrant: Operation<ById & z.infer<typeof RenewGrant>, Grant>;
}
