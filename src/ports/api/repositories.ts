import { z } from 'zod';
import { HookFault } from '../git-resources.ts';
import type { Operation, Page, PageInput } from './common.ts';
import { Name, PageQuery, pageOf, Timestamp } from './common.ts';
import type { Deleted } from './projects.ts';

/** The hook as the forge has it, or why that is not known. */
export const WebhookAtForge = z.strictObject({
  health: z
    .enum(['healthy', 'dead', 'unknown'])
    .meta({ description: 'a dead one makes the poller faster, a healthy one slower' }),
  faults: z.array(HookFault).meta({ description: 'what is wrong with it; install mends all but failing' }),
  id: z.string().optional().meta({ description: 'its id at the forge' }),
  url: z.string().optional(),
  events: z.array(z.string()).optional(),
  last_delivery: z
    .strictObject({ at: Timestamp.optional(), status: z.int().optional(), ok: z.boolean() })
    .optional()
    .meta({ description: 'the last try to deliver, as the forge tells it' }),
  code: z.string().optional().meta({ description: 'why the forge did not tell' }),
  installed_at: Timestamp.optional(),
  checked_at: Timestamp.optional(),
});

/** How a forge proves its deliveries, and whether a secret for that is set. */
export const Webhook = z.strictObject({
  path: z.string(),
  url: z.string().optional().meta({ description: 'absent until the installation has a public URL' }),
  auth: z.enum(['hmac', 'token', 'signing-token']),
  events: z.array(z.string()),
  configured: z.boolean(),
  last_delivery_at: Timestamp.optional(),
  rotating_since: Timestamp.optional().meta({ description: 'two secrets are valid, until the forge uses the new one' }),
  poll_seconds: z.int().meta({ description: 'how often the repository is polled, by the health of its hook' }),
  forge: WebhookAtForge,
});
export type Webhook = z.infer<typeof Webhook>;

export const RepositoryName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/);

export const Repository = z.strictObject({
  name: RepositoryName,
  provider: z.enum(['github', 'gitlab']),
  url: z.string(),
  repository_id: z.string(),
  repository: z.string().meta({ description: 'owner/name or group/path at the forge' }),
  api_url: z.string().optional(),
  local: z.boolean(),
  project: Name.optional().meta({ description: 'who may bind it; absent: administrators' }),
  environment: Name.optional(),
  token_configured: z.boolean(),
  interval_seconds: z.int(),
  poll_seconds: z.int().meta({ description: 'how often it is polled now, by the health of its webhook' }),
  webhook_health: z.enum(['healthy', 'dead', 'unknown']),
  webhook_path: z.string(),
  status: z.enum(['ready', 'not_ready', 'new']),
  message: z.string().optional(),
  created_at: Timestamp,
});
export type Repository = z.infer<typeof Repository>;
export const RepositoryPage = pageOf(Repository);
/** The secret is in the answer of the request that made it, and never again (facts 4.1). */
export const RepositorySaved = Repository.extend({
  created: z.boolean().meta({ description: 'false: it was known already, and its hook is unchanged' }),
  webhook: Webhook,
  webhook_secret: z.string().optional().meta({ description: 'shown once' }),
});
export type RepositorySaved = z.infer<typeof RepositorySaved>;

/** A secret that was made for it is shown this once. */
export const WebhookInstalled = z.strictObject({
  created: z.boolean().meta({ description: 'false: there was one, which now is as it should be' }),
  webhook: Webhook,
  webhook_secret: z.string().optional().meta({ description: 'shown once' }),
});
export type WebhookInstalled = z.infer<typeof WebhookInstalled>;
export const WebhookRotated = z.strictObject({
  webhook: Webhook,
  webhook_secret: z.string().meta({ description: 'shown once' }),
  forge_updated: z
    .boolean()
    .meta({ description: 'false: enter the new secret at the forge; the old one is valid until then' }),
  code: z.string().optional().meta({ description: 'why the forge was not updated' }),
});
export type WebhookRotated = z.infer<typeof WebhookRotated>;
export const WebhookTested = z.strictObject({
  arrived: z.boolean().meta({ description: 'a delivery that proved the secret came in' }),
  webhook: Webhook,
});
export type WebhookTested = z.infer<typeof WebhookTested>;

/** Visible ASCII, as forges make tokens and secrets. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

export const CreateRepository = z.strictObject({
  provider: z.enum(['github', 'gitlab']),
  url: z.string().min(1).max(2048).meta({ description: 'https clone URL' }),
  repository_id: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .meta({ description: 'the number the forge gave the repository' }),
  repository: z
    .string()
    .max(512)
    .regex(/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+){1,11}$/)
    .meta({ description: 'owner/name or group/path' }),
  project: Name.optional().meta({ description: 'who may bind it; a key’s own scope when absent' }),
  environment: Name.optional(),
  username: z.string().min(1).max(256).optional().meta({ description: 'that goes with the token' }),
  token: z.string().min(1).max(16_384).optional().meta({ description: 'never answered', writeOnly: true }),
  app: z
    .strictObject({
      app_id: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,100}$/)
        .meta({ description: 'its id or client id' }),
      installation_id: z.string().regex(/^[0-9]{1,20}$/),
      private_key: z.string().min(1).max(16_384).meta({ description: 'PEM; never answered', writeOnly: true }),
    })
    .optional()
    .meta({ description: 'a GitHub App instead of a token: tokens are minted for this repository and never stored' }),
  oauth: z
    .strictObject({
      application_id: z
        .string()
        .regex(/^[A-Za-z0-9._-]{1,256}$/)
        .meta({ description: 'of the application at GitLab' }),
      application_secret: z
        .string()
        .regex(TOKEN)
        .optional()
        .meta({ description: 'absent for one that is not confidential; never answered', writeOnly: true }),
      refresh_token: z
        .string()
        .regex(TOKEN)
        .meta({ description: 'with the scope api; used up by this, never answered', writeOnly: true }),
    })
    .optional()
    .meta({ description: 'an OAuth grant of GitLab instead of a token: access tokens are renewed with it' }),
  api_url: z
    .string()
    .max(2048)
    .regex(/^https?:\/\//)
    .optional()
    .meta({
      description:
        'API of a self-managed forge, when it is not where forges have it at the host of the clone URL; administrators only',
    }),
  signing_token: z.boolean().optional().meta({ description: 'GitLab 19: sign deliveries instead of sending a token' }),
  local: z.boolean().optional().meta({ description: 'plain http and loopback; administrators only' }),
  interval_seconds: z.int().min(5).max(86_400).optional().meta({ description: 'how often to poll; 60 when absent' }),
});
export type CreateRepository = z.infer<typeof CreateRepository>;
export const RepositoryParams = z.strictObject({ name: RepositoryName });
export const RepositoryQuery = z.strictObject(PageQuery);

/** Git repositories with their token and hook. One that is known is answered again; one in use can not be removed. */
export interface RepositoryOperations {
  list: Operation<PageInput, Page<Repository>>;
  create: Operation<CreateRepository, RepositorySaved>;
  show: Operation<{ readonly name: string }, Repository>;
  webhook: Operation<{ readonly name: string }, Webhook>;
  installWebhook: Operation<{ readonly name: string }, WebhookInstalled>;
  rotateWebhook: Operation<{ readonly name: string }, WebhookRotated>;
  testWebhook: Operation<{ readonly name: string }, WebhookTested>;
  remove: Operation<{ readonly name: string }, Deleted>;
}
