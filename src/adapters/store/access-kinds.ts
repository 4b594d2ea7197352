import {
  AuditRecordSpec,
  type Identity,
  IdentitySpec,
  PlainStatus,
  type Project,
  ProjectSpec,
  type Role,
  RoleSpec,
  type SettingsObject,
  SettingsSpec,
  type StoredAuditRecord,
} from '../../ports/index.ts';
import { codec, type KindCodec } from './decode.ts';
import { AGE, type Definition } from './definition.ts';

export const PROJECT: KindCodec<Project> = codec('Project', ProjectSpec, PlainStatus);
export const IDENTITY: KindCodec<Identity> = codec('Identity', IdentitySpec, PlainStatus);
export const ROLE: KindCodec<Role> = codec('Role', RoleSpec, PlainStatus);
export const SETTINGS: KindCodec<SettingsObject> = codec('Settings', SettingsSpec, PlainStatus);
export const AUDIT_RECORD: KindCodec<StoredAuditRecord> = codec('AuditRecord', AuditRecordSpec, PlainStatus);

const PLAIN = { status: PlainStatus, rootRules: [], specRules: [], selectable: [] } as const;

/** The kinds of people and programs. Short names begin with an h, so that they are nobody else's. */
export const ACCESS_DEFINITIONS: readonly Definition[] = [
  {
    ...PLAIN,
    kind: 'Project',
    plural: 'projects',
    shortName: 'hprj',
    description: 'A project and its environments.',
    spec: ProjectSpec,
    columns: [
      ['Display name', 'string', '.spec.displayName'],
      ['Environments', 'string', '.spec.environments[*].name'],
      AGE,
    ],
  },
  {
    ...PLAIN,
    kind: 'Identity',
    plural: 'identities',
    shortName: 'hid',
    description: 'A person or a program: what it may do itself and through its roles. Its keys are Secrets.',
    spec: IdentitySpec,
    columns: [
      ['Kind', 'string', '.spec.kind'],
      ['Permissions', 'string', '.spec.permissions'],
      ['Disabled', 'string', '.spec.disabled'],
      AGE,
    ],
  },
  {
    ...PLAIN,
    kind: 'Role',
    plural: 'roles',
    shortName: 'hrole',
    description: 'A named set of permissions that identities get per project, besides the built-in ones.',
    spec: RoleSpec,
    columns: [['Permissions', 'string', '.spec.permissions'], AGE],
  },
  {
    ...PLAIN,
    kind: 'Settings',
    plural: 'settings',
    shortName: 'hset',
    description: 'What the installation decides, in sections with a revision each. There is one, named settings.',
    spec: SettingsSpec,
    columns: [['Kubernetes patches', 'string', '.spec.kubernetesPatches.value.enabled'], AGE],
  },
  {
    ...PLAIN,
    kind: 'AuditRecord',
    plural: 'auditrecords',
    shortName: 'haud',
    description: 'One change: who, with which key, from where, of what. Newest first; kept by number and age.',
    spec: AuditRecordSpec,
    columns: [
      ['Time', 'date', '.spec.time'],
      ['Identity', 'string', '.spec.identity'],
      ['Origin', 'string', '.spec.origin'],
      ['Action', 'string', '.spec.action'],
      ['Kind', 'string', '.spec.resource.kind'],
      ['Project', 'string', '.spec.resource.project'],
      ['Name', 'string', '.spec.resource.name'],
    ],
    specRules: [{ rule: 'self == oldSelf', message: 'an audit record is immutable' }],
  },
];
