import { z } from 'zod';
import { Conditions, type Resource, Timestamp } from './resource.ts';

export const InventoryEntry = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  uid: z.string(),
});
export type InventoryEntry = z.infer<typeof InventoryEntry>;

export const ServiceState = z.object({
  name: z.string(),
  status: z.enum([
    'missing',
    'deploying',
    'ready',
    'failed',
    'pending',
    'running',
    'completed',
    'scheduled',
    'stopped',
  ]),
  ready: z.int().optional(),
  desired: z.int().optional(),
  image: z.string().optional(),
  url: z.string().optional(),
  endpoints: z.record(z.string(), z.string()).optional().describe('URL of each additional HTTP endpoint'),
  message: z.string().optional(),
});
export type ServiceState = z.infer<typeof ServiceState>;

export const ApplicationSpec = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('random and immutable; names the namespace'),
  project: z.string(),
  environment: z.string(),
  name: z.string(),
  suspended: z.boolean().optional(),
  preview: z
    .object({
      source: z.string().describe('name of the GitSource'),
      sourceUid: z.string().describe('so that a source added again under the name has environments of its own'),
      repository: z.string().describe('name of the GitRepository'),
      number: z.int().min(1).describe('of the pull or merge request'),
      parent: z.string().describe('name of the Application it is a preview of, whose secrets it reads'),
      branch: z.string().optional().describe('of the head; a label only'),
      expiresAt: Timestamp.describe(
        'then it goes with its namespace and claims; each head that is deployed moves it on',
      ),
    })
    .optional()
    .describe('the ephemeral environment of a pull request'),
});

export const ApplicationStatus = z.object({
  observedGeneration: z.int().optional(),
  conditions: Conditions,
  phase: z.enum(['queued', 'healthy', 'empty', 'failed', 'cancelled', 'recovered']).optional(),
  fence: z.int().optional().describe('of the lease under which this was last written; never falls'),
  acceptedRevision: z.int().optional(),
  acceptedAt: Timestamp.optional().describe(
    'when the API took the accepted revision, just before its Release is created',
  ),
  acceptedFor: z.string().optional().describe('the idempotency digest it was taken for'),
  gitRevision: z
    .int()
    .optional()
    .describe('the newest accepted revision that came from the source: it supersedes older ones of the source'),
  cancelled: z.array(z.int()).optional().describe('revisions somebody asked to cancel that have no end yet'),
  revision: z.int().optional().describe('the last revision that succeeded'),
  services: z.array(ServiceState).optional(),
  jobs: z
    .array(
      z.object({
        service: z.string(),
        revision: z.int(),
        uid: z.string(),
        result: z.enum(['succeeded', 'failed']),
        message: z.string().optional(),
      }),
    )
    .optional()
    .describe('completions on record, so that a Job somebody removed does not run again'),
  inventory: z.array(InventoryEntry).optional(),
  drift: z
    .object({
      at: Timestamp,
      corrected: z.boolean(),
      count: z.int().describe('objects that were not as released'),
      objects: z.array(z.object({ object: z.string(), fields: z.array(z.string()) })),
    })
    .optional()
    .describe('what was last found changed by hand, since the last release'),
});

/** A custom domain reserved for one application: named after the host, so no two applications hold the same one (facts 6.2). */
export const DomainClaimSpec = z.object({
  host: z.string(),
  application: z.string().describe('name of the Application'),
  applicationId: z.string(),
  token: z.string().describe('what the TXT record of the challenge says; proves nothing but the ownership'),
  revision: z.int().min(1).describe('the newest revision that was accepted with it'),
});

export const DomainClaimStatus = z.object({
  verifiedAt: Timestamp.optional().describe('the record was found; only then the domain leads anywhere'),
  checkedAt: Timestamp.optional(),
  failingSince: Timestamp.optional().describe('the record of a verified domain is gone since then'),
  code: z.string().optional().describe('why the last check did not find the record'),
});

export type Application = Resource<z.infer<typeof ApplicationSpec>, z.infer<typeof ApplicationStatus>>;

export type DomainClaim = Resource<z.infer<typeof DomainClaimSpec>, z.infer<typeof DomainClaimStatus>>;

/** Finalizer on an Application somebody removes: what it runs goes before it does. */
export const CLEANUP_FINALIZER = 'hakopod.io/cleanup';
/** Annotation on an Application somebody removes: the claims that go with it, separated by commas; all others stay. */
export const DELETED_CLAIMS = 'hakopod.io/deleted-claims';
