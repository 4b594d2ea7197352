import { z } from 'zod';
import { PERMISSIONS } from '../access/index.ts';
import { NAME } from '../kernel/index.ts';
import { Condition, type Resource, Timestamp } from './resource.ts';

/** The custom resources of people and programs: who may do what, what the installation decides, and what was changed by whom. */
const Slug = z.string().regex(NAME);
const Permissions = z.array(z.enum(PERMISSIONS));
const ScopeFields = {
  project: Slug.optional(),
  environment: Slug.optional(),
  application: Slug.optional(),
};

/** These kinds are all specification; the conditions are room for what may be said about them. */
export const PlainStatus = z.object({ conditions: z.array(Condition).optional() });

export const ProjectSpec = z.object({
  displayName: z.string().max(80).optional(),
  description: z.string().max(1000).optional(),
  environments: z.array(z.object({ name: Slug, createdAt: Timestamp })),
});

export const IdentitySpec = z.object({
  kind: z.enum(['person', 'machine']),
  permissions: Permissions.describe('held directly, within the scope'),
  scope: z.object(ScopeFields),
  bindings: z.array(z.object({ project: Slug, role: z.string() })).describe('roles by project'),
  disabled: z.boolean().optional().describe('its keys open nothing, and its running releases stop'),
});

export const RoleSpec = z.object({
  permissions: Permissions.describe('a custom role can not hold admin'),
});

/** The one object `settings`. Each section has its own revision, which a change must name. */
export const SettingsSpec = z.object({
  kubernetesPatches: z
    .object({
      value: z.object({ enabled: z.boolean() }),
      revision: z.int().min(1),
      updatedAt: Timestamp,
      updatedBy: z.string(),
    })
    .optional()
    .describe('whether applications may carry Kubernetes patches'),
});

export const AuditOrigin = z.enum(['api', 'cli', 'git', 'local']);
/** One change (facts 9.4): digests, never contents. Immutable; its name sorts newest first. */
export const AuditRecordSpec = z.object({
  time: Timestamp,
  identity: z.string(),
  key: z.string().optional().describe('id of the key'),
  origin: AuditOrigin,
  source: z.string().optional().describe('name of the GitSource, when a commit did it'),
  commit: z.string().optional(),
  action: z.string(),
  resource: z.object({ kind: z.string(), ...ScopeFields, name: z.string().optional() }),
  before: z.string().optional().describe('digest of what was there'),
  after: z.string().optional(),
  requestId: z.string().optional(),
});

type PlainStatus = z.infer<typeof PlainStatus>;
export type Project = Resource<z.infer<typeof ProjectSpec>, PlainStatus>;
export type Identity = Resource<z.infer<typeof IdentitySpec>, PlainStatus>;
export type Role = Resource<z.infer<typeof RoleSpec>, PlainStatus>;
export type SettingsObject = Resource<z.infer<typeof SettingsSpec>, PlainStatus>;
export type StoredAuditRecord = Resource<z.infer<typeof AuditRecordSpec>, PlainStatus>;
