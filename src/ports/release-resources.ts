import { z } from 'zod';
import { Conditions, type Resource, Timestamp } from './resource.ts';

export const ReleaseSpec = z.object({
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  revision: z.int().min(1),
  specDigest: z.string(),
  spec: z.string().describe('canonical JSON, gzip, base64'),
  origin: z.object({
    kind: z.enum(['git', 'api', 'preview']),
    actor: z.string(),
    plan: z.string().optional().describe('of a preview: the PullRequestPlan whose head it is'),
    source: z.string().optional(),
    ref: z.string().optional(),
    commit: z.string().optional(),
    grantRevision: z.int().optional(),
    trigger: z.string().optional().describe('what was accepted, so that a repeated acceptance finds its release'),
    identity: z.string().optional().describe('who asked over the API; rechecked while the release runs'),
    key: z.string().optional().describe('id of the API key it was asked with'),
    action: z.enum(['deploy', 'rollback', 'restart', 'scale', 'stop', 'resume']).optional(),
    via: z.enum(['api', 'cli', 'local']).optional(),
    holds: z
      .string()
      .optional()
      .describe(
        'the commit its source had seen: that commit is not deployed again until a new one or `sources resume`',
      ),
  }),
  idempotency: z.string().optional().describe('digest of the identity and the Idempotency-Key it was accepted with'),
  requestHash: z
    .string()
    .optional()
    .describe('digest of the request, so that a reused key with another one is refused'),
  deletedVolumes: z
    .array(z.string())
    .optional()
    .describe('services whose own volumes, which this revision has no more, are deleted once it is there'),
  images: z
    .record(z.string(), z.string())
    .optional()
    .describe('service to the digest of an earlier revision that this one runs again'),
  builds: z.record(z.string(), z.string()).optional().describe('service to the BuildRun whose image it runs'),
});

export const StepState = z.enum(['running', 'done', 'refused', 'failed', 'timed_out', 'unknown', 'skipped']);

export const ReleaseStatus = z.object({
  conditions: Conditions,
  state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled', 'superseded']).optional(),
  attempts: z.int().optional(),
  startedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  deadline: Timestamp.optional(),
  resolved: z.record(z.string(), z.string()).optional().describe('service to image digest, resolved once'),
  credentials: z
    .record(z.string(), z.string())
    .optional()
    .describe('service to the name of the registry credentials that opened its image; the others are public'),
  placement: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('group of services that share storage to the nodes it may run on; the others run anywhere'),
  steps: z
    .array(
      z.object({
        name: z.string(),
        state: StepState,
        code: z.string().optional(),
        message: z.string().optional(),
        startedAt: Timestamp.optional(),
        at: Timestamp,
      }),
    )
    .optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  at: z.string().optional().describe('the field at fault'),
  lost: z.boolean().optional().describe('no worker came back before the deadline'),
  recovery: z
    .object({
      state: z.enum(['running', 'succeeded', 'failed', 'skipped']),
      revision: z.int().optional().describe('the one that is put back'),
      code: z.string().optional(),
      message: z.string().optional().describe('why it failed or was not tried'),
      startedAt: Timestamp,
      deadline: Timestamp.optional(),
      finishedAt: Timestamp.optional(),
    })
    .optional()
    .describe('putting the last good revision back after this one failed'),
  resumed: z
    .object({
      generation: z.int().min(1).describe('how often it was resumed'),
      services: z.array(z.string()).describe('what is carried out again; the others stay as they are'),
      identity: z.string().optional().describe('who resumed it; rechecked while it runs'),
      key: z.string().optional(),
      idempotency: z.string().describe('digest of the identity and the Idempotency-Key it was resumed with'),
      requestHash: z.string(),
      at: Timestamp,
    })
    .optional()
    .describe('the last time somebody let it go on after it had failed'),
});

/**
 * One image to build: a commit and a build table (DESIGN 1). Its name follows from both, so the same commit and configuration is built
 * once. Immutable but for status.
 */
export const BuildRunSpec = z.object({
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  source: z.string().describe('name of the GitSource whose repository and grant it uses'),
  service: z.string().describe('the first service that asked for it; names the image'),
  commit: z.string(),
  revision: z.string().describe('digest of the build table: the configuration revision'),
  build: z.object({
    context: z.string(),
    dockerfile: z.string(),
    target: z.string().optional(),
    build_args: z.record(z.string(), z.string()),
  }),
  repository: z.string().describe('where the image is pushed, without a tag'),
  tag: z.string(),
});

export const BuildRunStatus = z.object({
  conditions: Conditions,
  state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']).optional(),
  release: z.string().optional().describe('the release that asked for it last'),
  attempts: z.int().optional().describe('builds begun since it was asked for'),
  fence: z.int().optional().describe('of the lease under which this was last written'),
  worker: z.string().optional(),
  startedAt: Timestamp.optional(),
  heartbeatAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  deadline: Timestamp.optional(),
  image: z.string().optional().describe('repository@digest'),
  digest: z.string().optional(),
  log: z.string().optional().describe('the last lines of the log, redacted; at most 32 KiB'),
  code: z.string().optional(),
  message: z.string().optional(),
});

export type Release = Resource<z.infer<typeof ReleaseSpec>, z.infer<typeof ReleaseStatus>>;

export type BuildRun = Resource<z.infer<typeof BuildRunSpec>, z.infer<typeof BuildRunStatus>>;
