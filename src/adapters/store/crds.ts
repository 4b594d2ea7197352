import { fail, type Manifest, ok, problem, type Result } from '../../kernel/index.ts';
import {
  ApplicationSpec,
  ApplicationStatus,
  BuildRunSpec,
  BuildRunStatus,
  type Clock,
  type Cluster,
  DomainClaimSpec,
  DomainClaimStatus,
  GitRepositorySpec,
  GitRepositoryStatus,
  GitSourceSpec,
  GitSourceStatus,
  PlanSpec,
  PlanStatus,
  ReleaseSpec,
  ReleaseStatus,
} from '../../ports/index.ts';
import { ACCESS_DEFINITIONS } from './access-kinds.ts';
import { CLUSTER_RUN_DEFINITION } from './cluster-run-store.ts';
import { AGE, type Definition, READY, type Rule } from './definition.ts';
import { type StructuralSchema, structuralSchema } from './structural.ts';

/** An application is a preview from its first day or never, and of one request; only its end may move. */
const PREVIEW_OF = [
  'has(self.preview) == has(oldSelf.preview)',
  `(!has(self.preview) || (${['source', 'sourceUid', 'repository', 'number', 'parent']
    .map((field) => `self.preview.${field} == oldSelf.preview.${field}`)
    .join(' && ')}))`,
].join(' && ');

/**
 * The fence may never fall, nor vanish. On the root schema, because a rule below `status` is not asked when somebody removes the
 * whole status and writes a new one.
 */
const FENCE: Rule = {
  rule: '!has(oldSelf.status) || !has(oldSelf.status.fence) || (has(self.status) && has(self.status.fence) && self.status.fence >= oldSelf.status.fence)',
  message: 'status.fence may not fall: a newer holder of the lease has written already',
};

const DEFINITIONS: readonly Definition[] = [
  {
    kind: 'GitRepository',
    plural: 'gitrepositories',
    shortName: 'grepo',
    description: 'One repository at one forge: where it is, how it is read, and its webhook.',
    spec: GitRepositorySpec,
    status: GitRepositoryStatus,
    columns: [
      ['Forge', 'string', '.spec.forge'],
      ['Project', 'string', '.spec.project'],
      ['Last delivery', 'date', '.status.lastDeliveryAt'],
      ['Interval', 'integer', '.spec.intervalSeconds'],
      AGE,
    ],
    rootRules: [],
    specRules: [],
    selectable: [],
  },
  {
    kind: 'GitSource',
    plural: 'gitsources',
    shortName: 'gsrc',
    description: 'Binds one ref and path of a repository to one application, with its deploy grant.',
    spec: GitSourceSpec,
    status: GitSourceStatus,
    columns: [
      ['Repository', 'string', '.spec.repository'],
      ['Ref', 'string', '.spec.ref'],
      ['Path', 'string', '.spec.path'],
      ['Application', 'string', '.spec.application.name'],
      ['Seen', 'string', '.status.seen.commit', 1],
      ['Planned', 'string', '.status.planned.outcome'],
      READY,
      AGE,
    ],
    rootRules: [],
    specRules: [],
    selectable: [],
  },
  {
    kind: 'Application',
    plural: 'applications',
    shortName: 'happ',
    description: 'One application: what it is, which revision runs, and what was applied for it.',
    spec: ApplicationSpec,
    status: ApplicationStatus,
    columns: [
      ['Project', 'string', '.spec.project'],
      ['Environment', 'string', '.spec.environment'],
      ['Revision', 'integer', '.status.revision'],
      READY,
      ['Phase', 'string', '.status.phase'],
      AGE,
    ],
    rootRules: [FENCE],
    specRules: [
      { rule: 'self.id == oldSelf.id', message: 'spec.id is immutable: it names the namespace' },
      { rule: PREVIEW_OF, message: 'what an application is a preview of is immutable' },
    ],
    selectable: ['.spec.project', '.spec.preview.source'],
  },
  {
    kind: 'Release',
    plural: 'releases',
    shortName: 'hrel',
    description: 'One accepted, numbered revision of an application, and the record of carrying it out.',
    spec: ReleaseSpec,
    status: ReleaseStatus,
    columns: [
      ['Application', 'string', '.spec.application'],
      ['Revision', 'integer', '.spec.revision'],
      ['State', 'string', '.status.state'],
      ['Commit', 'string', '.spec.origin.commit'],
      AGE,
    ],
    rootRules: [],
    specRules: [{ rule: 'self == oldSelf', message: 'a release is immutable' }],
    selectable: ['.spec.application', '.spec.idempotency'],
  },
  {
    kind: 'Plan',
    plural: 'plans',
    shortName: 'hplan',
    description: 'The plan of one pull or merge request for one source; it goes when the request is closed.',
    spec: PlanSpec,
    status: PlanStatus,
    columns: [
      ['Repository', 'string', '.spec.repository'],
      ['Request', 'integer', '.spec.number'],
      ['Application', 'string', '.spec.application.name'],
      ['Head', 'string', '.status.head', 1],
      ['Outcome', 'string', '.status.outcome'],
      ['Summary', 'string', '.status.summary'],
      READY,
      AGE,
    ],
    rootRules: [],
    specRules: [{ rule: 'self == oldSelf', message: 'which request and source a plan is for is immutable' }],
    selectable: [],
  },
  {
    kind: 'BuildRun',
    plural: 'buildruns',
    shortName: 'hbld',
    description: 'One image built from a commit and a build configuration, and the end of its log.',
    spec: BuildRunSpec,
    status: BuildRunStatus,
    columns: [
      ['Application', 'string', '.spec.application'],
      ['Service', 'string', '.spec.service'],
      ['Commit', 'string', '.spec.commit'],
      ['State', 'string', '.status.state'],
      ['Attempts', 'integer', '.status.attempts', 1],
      ['Digest', 'string', '.status.digest', 1],
      AGE,
    ],
    rootRules: [],
    specRules: [{ rule: 'self == oldSelf', message: 'a build is immutable' }],
    selectable: ['.spec.application'],
  },
  {
    kind: 'DomainClaim',
    plural: 'domainclaims',
    shortName: 'hdom',
    description: 'A custom domain one application holds, and whether its ownership is verified. Its name is the host.',
    spec: DomainClaimSpec,
    status: DomainClaimStatus,
    columns: [
      ['Application', 'string', '.spec.application'],
      ['Verified', 'date', '.status.verifiedAt'],
      ['Checked', 'date', '.status.checkedAt', 1],
      ['Code', 'string', '.status.code'],
      AGE,
    ],
    rootRules: [],
    specRules: [
      {
        rule: 'self.host == oldSelf.host && self.application == oldSelf.application && self.applicationId == oldSelf.applicationId && self.token == oldSelf.token',
        message: 'whose a domain is, and its challenge, are immutable',
      },
    ],
    selectable: ['.spec.application'],
  },
];

/** The custom resource definitions of `hakopod.io/v1`, derived from the schemas of the port. The chart holds them as YAML. */
export function customResourceDefinitions(): readonly Manifest[] {
  return [...DEFINITIONS, CLUSTER_RUN_DEFINITION, ...ACCESS_DEFINITIONS].map(definition);
}

const ESTABLISHED_MS = 30_000;

/** Applies the definitions and waits until the API server serves them, at most 30 s. For the demo and tests; the chart does it elsewhere. */
export async function ensureCrds(cluster: Cluster, clock: Clock): Promise<Result<void>> {
  const wanted = customResourceDefinitions();
  for (const crd of wanted) {
    const applied = await cluster.apply(crd);
    if (!applied.ok) return applied;
  }
  const names = new Set(wanted.map((crd) => crd.metadata.name));
  const served = await cluster.waitFor({
    queries: [{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }],
    judge: (crds) =>
      crds.filter((crd) => names.has(crd.metadata.name) && isServed(crd)).length === names.size ? true : undefined,
    deadline: new Date(clock.now().getTime() + ESTABLISHED_MS),
  });
  if (!served.ok) return served;
  return served.value === true
    ? ok(undefined)
    : fail(problem('cluster_unavailable', 'the cluster did not establish the custom resource definitions in time'));
}

function isServed(crd: Manifest): boolean {
  const { conditions } = (crd.status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions?.some((c) => c.type === 'Established' && c.status === 'True') === true;
}

function definition(d: Definition): Manifest {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${d.plural}.hakopod.io` },
    spec: {
      group: 'hakopod.io',
      names: {
        kind: d.kind,
        listKind: `${d.kind}List`,
        plural: d.plural,
        singular: d.kind.toLowerCase(),
        shortNames: [d.shortName],
        categories: ['hakopod'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: d.columns.map(([name, type, jsonPath, priority]) => ({
            name,
            type,
            jsonPath,
            ...(priority === undefined ? {} : { priority }),
          })),
          ...(d.selectable.length === 0 ? {} : { selectableFields: d.selectable.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: rootSchema(d) },
        },
      ],
    },
  };
}

function rootSchema(d: Definition): StructuralSchema {
  return {
    type: 'object',
    description: d.description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { ...structuralSchema(d.spec), ...rules(d.specRules) },
      status: withConditions(structuralSchema(d.status)),
    },
    ...rules(d.rootRules),
  };
}

/** Conditions are a map by type, so that another controller can own one of them. */
function withConditions(status: StructuralSchema): StructuralSchema {
  const properties = status.properties as Readonly<Record<string, StructuralSchema>>;
  const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] };
  if (properties.conditions === undefined) return status;
  return { ...status, properties: { ...properties, conditions: { ...properties.conditions, ...list } } };
}

function rules(list: readonly Rule[]): StructuralSchema {
  return list.length === 0 ? {} : { 'x-kubernetes-validations': list };
}
