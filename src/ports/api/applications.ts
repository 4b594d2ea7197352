import { z } from 'zod';
import { ServiceState } from '../application-resources.ts';
import type { Operation, Page, PageInput } from './common.ts';
import { ConfirmName, HexId, Name, PageQuery, pageOf, Revision, SpecJson, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

export const ApplicationStatusWord = z.enum(['queued', 'healthy', 'empty', 'failed', 'cancelled', 'recovered']);

/** A service as the worker last saw it. */
export const ServiceObservation = z.strictObject({
  ...ServiceState.shape,
  name: Name,
  internal_address: z.string().optional(),
});
export const Observation = z.strictObject({
  status: ApplicationStatusWord,
  observed_at: Timestamp.optional(),
  revision: Revision.meta({ description: 'the last revision that succeeded, 0 before the first' }),
  services: z.array(ServiceObservation),
  drift: z
    .strictObject({
      at: Timestamp,
      corrected: z.boolean(),
      count: z.int(),
      objects: z.array(z.strictObject({ object: z.string(), fields: z.array(z.string()) })),
    })
    .optional()
    .meta({ description: 'what was last found changed by hand since the last release' }),
});

export const DeploymentStatusWord = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'superseded']);

/** A release in a list, without its specification and events. */
export const DeploymentSummary = z.strictObject({
  id: z.string(),
  application_id: HexId,
  identity_id: z.string().meta({ description: 'who asked for it; a Git source is its grant’s owner' }),
  revision: Revision,
  status: DeploymentStatusWord,
  origin: z.enum(['api', 'cli', 'git', 'local']),
  source: z.string().optional().meta({ description: 'the Git source it came from' }),
  ref: z.string().optional(),
  commit_sha: z.string().optional(),
  error_code: z.string().optional(),
  error: z.string().optional(),
  cancel_requested: z.boolean(),
  created_at: Timestamp,
  started_at: Timestamp.optional(),
  finished_at: Timestamp.optional(),
});
export type DeploymentSummary = z.infer<typeof DeploymentSummary>;
export const DeploymentSummaryPage = pageOf(DeploymentSummary);

/** An application in a list: no specification, no releases. */
export const ApplicationSummary = z.strictObject({
  id: HexId,
  name: Name,
  project: Name,
  environment: Name,
  revision: Revision.meta({ description: 'the accepted revision; send it as expected_revision' }),
  status: ApplicationStatusWord,
  observed: Observation,
  source: z.string().optional().meta({ description: 'id of the Git source that feeds it' }),
  preview: z
    .strictObject({ parent: Name, source: z.string(), number: z.int(), expires_at: Timestamp })
    .optional()
    .meta({ description: 'set for the preview environment of a pull or merge request' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ApplicationSummary = z.infer<typeof ApplicationSummary>;
export const ApplicationPage = pageOf(ApplicationSummary);

/** Facts 7.9. */
export const Application = ApplicationSummary.extend({
  spec: SpecJson.nullable().meta({ description: 'the accepted specification, normalised; null before the first' }),
  deployments: z.array(DeploymentSummary).max(30),
});
export type Application = z.infer<typeof Application>;

export const ApplicationQuery = z.strictObject({
  project: Name.optional(),
  environment: Name.optional(),
  ...PageQuery,
});
export const ApplicationParams = z.strictObject({ id: HexId });
export const ManifestsQuery = z.strictObject({
  service: Name.optional().meta({ description: 'one long-running service; all of them without' }),
});
export const DeleteApplication = ConfirmName.extend({
  expected_revision: Revision,
  delete_volumes: z
    .array(z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,251}[a-z0-9])?$/))
    .max(40)
    .optional()
    .meta({ description: 'volumes whose data goes too, by volume, service or claim name; all others stay' }),
});
export const DeploymentsQuery = z.strictObject(PageQuery);

type Scoped = { readonly project?: string | undefined; readonly environment?: string | undefined };

/** Applications. `manifests` are YAML documents. `remove` takes down what runs and forgets the application; its name stays retired. */
export interface ApplicationOperations {
  list: Operation<Scoped & PageInput, Page<ApplicationSummary>>;
  show: Operation<{ readonly id: string }, Application>;
  manifests: Operation<{ readonly id: string; readonly service?: string | undefined }, string>;
  remove: Operation<{ readonly id: string } & z.infer<typeof DeleteApplication>, Deleted>;
  deployments: Operation<{ readonly id: string } & PageInput, Page<DeploymentSummary>>;
}
