import { z } from 'zod';

/** A glob where `*` matches any run of characters but `/` and `**` any run at all. */
const Glob = z.string().min(1).max(255);

/**
 * What a push to one source may do. It lives on the server, never in the repository, and is evaluated at plan, at acceptance
 * and before every privileged step (DESIGN invariant 4). `kubernetes:patch` is not a permission it can hold.
 */
export const DeployGrant = z.strictObject({
  permissions: z.array(z.enum(['deployments:read', 'deployments:write'])),
  refs: z.array(Glob).describe('full refs that may deploy, such as refs/heads/main'),
  path: z.string().describe('the one file this grant is for'),
  application: z.strictObject({ project: z.string(), environment: z.string(), name: z.string() }),
  domains: z.array(z.string()).describe('custom domains the file may claim; globs allowed'),
  registries: z.array(Glob).describe('registry hosts images may come from; ** is any'),
  buildArgs: z.array(Glob).describe('names of build args the file may set; ** is any'),
  limits: z
    .strictObject({
      services: z.int().min(0).optional(),
      replicas: z.int().min(0).optional(),
      cpuMillis: z.int().min(0).optional().describe('sum of CPU requests, all replicas'),
      memoryBytes: z.int().min(0).optional().describe('sum of memory requests, all replicas'),
    })
    .describe('upper bounds; absent is unlimited'),
  pullRequests: z.enum(['plan', 'none']),
  owner: z.string().describe('who granted it'),
  identity: z
    .string()
    .optional()
    .describe('the identity that granted it over the API; it must still be allowed to deploy there itself'),
  revision: z.int().min(1),
  expiresAt: z.iso.datetime(),
});
export type DeployGrant = z.infer<typeof DeployGrant>;
