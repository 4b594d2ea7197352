import { z } from 'zod';
import type { Operation, Page, PageInput } from './common.ts';
import { HexId, Name, PageQuery, pageOf, Revision, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

/** Facts 4.9. */
const TtlHours = z.int().min(1).max(72).meta({ description: 'hours from the last deployed head until it goes' });

/** Whether requests to a source's ref get an environment of their own. */
export const SourcePreviews = z.strictObject({ enabled: z.boolean(), ttl_hours: TtlHours.optional() });
export type SourcePreviews = z.infer<typeof SourcePreviews>;
export const SetPreviews = z.strictObject({
  enabled: z.boolean(),
  ttl_hours: TtlHours.optional().meta({ description: 'as it was, or 24, when absent' }),
});
export type SetPreviews = z.infer<typeof SetPreviews>;

/** How the environment of a request stands; what is not there any more was `expired` or `removed`. */
export const EnvironmentState = z.enum(['deploying', 'ready', 'failed', 'refused', 'limited', 'expired', 'removed']);

/** The environment of a request, as its plan has it. */
export const PlannedEnvironment = z.strictObject({
  name: z.string().meta({ description: 'of the environment' }),
  state: EnvironmentState,
  commit_sha: z.string().meta({ description: 'the head this is about' }),
  url: z.string().optional().meta({ description: 'of its first public service' }),
  urls: z.record(z.string(), z.string()).optional().meta({ description: 'of every public service' }),
  code: z.string().optional(),
  message: z.string().optional(),
  expires_at: Timestamp.optional(),
});

export type PlannedEnvironment = z.infer<typeof PlannedEnvironment>;

/** `preview-` and 32 hex digits: the name of the ephemeral application. */
export const PreviewName = z.string().regex(/^preview-[0-9a-f]{32}$/);
export const PreviewParams = z.strictObject({ name: PreviewName });

/** The ephemeral application of one pull or merge request, with a namespace, volumes and an end of its own. */
export const Preview = z.strictObject({
  name: PreviewName,
  application_id: HexId.meta({ description: 'of the ephemeral application' }),
  project: Name,
  environment: Name,
  parent: Name.meta({ description: 'the application it is a preview of' }),
  source: z.string(),
  repository: z.string(),
  repository_path: z.string().optional(),
  number: z.int().meta({ description: 'of the pull or merge request' }),
  branch: z.string().optional(),
  state: z.enum([...EnvironmentState.options, 'removing']),
  commit_sha: z.string().optional(),
  revision: Revision,
  url: z.string().optional(),
  urls: z.record(z.string(), z.string()).optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Preview = z.infer<typeof Preview>;
export const PreviewPage = pageOf(Preview);
export const PreviewQuery = z.strictObject({
  project: Name.optional(),
  environment: Name.optional(),
  ...PageQuery,
});
/** Facts 7.7. */
export const DeletePreview = z.strictObject({
  confirmation: z.string().max(100).meta({ description: 'the exact name, typed again' }),
});

type Scoped = { readonly project?: string | undefined; readonly environment?: string | undefined };

/** Preview environments. `remove` takes one down with its volumes; the head it was of gets no other. */
export interface PreviewOperations {
  list: Operation<Scoped & PageInput, Page<Preview>>;
  show: Operation<z.infer<typeof PreviewParams>, Preview>;
  remove: Operation<z.infer<typeof PreviewParams> & z.infer<typeof DeletePreview>, Deleted>;
}
