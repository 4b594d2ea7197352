import { parseAllDocuments } from 'yaml';
import {
  at,
  type Fields,
  fail,
  isFields,
  isOwnedBy,
  MANAGED_BY,
  type Manifest,
  ok,
  problem,
  type Result,
  records,
} from '../../../kernel/index.ts';
import { Image, LABEL, OPERATION_LIMITS, type WorkloadApply } from '../../../ports/cluster-operations/index.ts';

/** Fields only the API server, or whoever owns the object, may write. */
const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generateName',
  'ownerReferences',
  'finalizers',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'creationTimestamp',
  'generation',
  'selfLink',
  'managedFields',
];
/** A document of aliases of aliases would be larger than it looks. */
const MAX_ALIASES = 100;
const TOP = new Set(['apiVersion', 'kind', 'metadata', 'spec']);
/** Labels that would make the object one of ours. */
const PREFIX = 'hakopod.io/';

/**
 * Reads the native Deployment of a create: one document, JSON or YAML, that stands for the same workload as the configuration beside it and
 * takes nothing but what a create may give (cluster operations 5). The API server refuses fields it does not know, as it is asked to be
 * strict. The service account's token is never mounted.
 */
export function readRunManifest(text: string, request: WorkloadApply): Result<Manifest> {
  const object = decode(text);
  const deployment = object === undefined ? undefined : accepted(object, request);
  return deployment === undefined ? fail(problem('invalid_object')) : ok(deployment);
}

function decode(text: string): Fields | undefined {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  const [first] = documents;
  if (documents.length !== 1 || first === undefined || first.errors.length > 0) return undefined;
  try {
    const value: unknown = first.toJS({ maxAliasCount: MAX_ALIASES });
    return isFields(value) ? value : undefined;
  } catch {
    return undefined; // too many aliases, or a value JSON does not have
  }
}

function accepted(object: Fields, request: WorkloadApply): Manifest | undefined {
  const spec = at(object, 'spec');
  const pod = at(spec, 'template', 'spec');
  const isRight = [
    isHead(object, request),
    isSelector(spec),
    isForeign(at(object, 'metadata', 'labels')),
    isForeign(at(spec, 'template', 'metadata', 'labels')),
    absent(at(spec, 'paused')) || at(spec, 'paused') === false,
    isPod(pod),
    matches(spec, request),
  ].every(Boolean);
  if (!isRight || !isFields(spec) || !isFields(spec.template) || !isFields(pod)) return undefined;
  const template = { ...spec.template, spec: { ...pod, automountServiceAccountToken: false } };
  return { ...object, spec: { ...spec, template } } as unknown as Manifest;
}

function absent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isHead(object: Fields, { target }: WorkloadApply): boolean {
  const { metadata } = object;
  return (
    Object.keys(object).every((key) => TOP.has(key)) &&
    object.apiVersion === 'apps/v1' &&
    object.kind === 'Deployment' &&
    isFields(metadata) &&
    metadata.name === target.name &&
    metadata.namespace === target.namespace &&
    SERVER_FIELDS.every((field) => absent(metadata[field]))
  );
}

/** Equality only, of labels the pods have. */
function isSelector(spec: unknown): boolean {
  const selector = at(spec, 'selector');
  const labels = at(spec, 'template', 'metadata', 'labels');
  const wanted = at(selector, 'matchLabels');
  if (!isFields(selector) || !isFields(wanted) || !isFields(labels) || Object.keys(wanted).length === 0) return false;
  const others = Object.keys(selector).filter((key) => key !== 'matchLabels' && !absent(selector[key]));
  return others.length === 0 && Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function isForeign(labels: unknown): boolean {
  if (absent(labels)) return true;
  if (!isFields(labels)) return false;
  const isOurs = Object.keys(labels).some((key) => key.startsWith(PREFIX));
  return !isOurs && !isOwnedBy({ metadata: { labels } }, MANAGED_BY);
}

function isPod(pod: unknown): boolean {
  if (!isFields(pod)) return false;
  const containers = [...records(pod.containers), ...records(pod.initContainers)];
  const volumes = records(pod.volumes);
  const tokens = volumes.flatMap((volume) => records(at(volume, 'projected', 'sources')));
  return (
    (absent(pod.serviceAccountName) || pod.serviceAccountName === 'default') &&
    absent(pod.serviceAccount) &&
    (absent(pod.automountServiceAccountToken) || pod.automountServiceAccountToken === false) &&
    (absent(pod.restartPolicy) || pod.restartPolicy === 'Always') &&
    absent(pod.ephemeralContainers) &&
    tokens.every((source) => absent(source.serviceAccountToken)) &&
    volumes.length <= OPERATION_LIMITS.runManifestVolumes &&
    records(pod.containers).length > 0 &&
    containers.length <= OPERATION_LIMITS.containers &&
    containers.every(({ name, image }) => LABEL.test(String(name)) && Image.safeParse(image).success)
  );
}

/** The configuration beside the manifest says the same of replicas, and of names and images of containers. */
function matches(spec: unknown, request: WorkloadApply): boolean {
  const replicas = at(spec, 'replicas') ?? 1;
  const isCount = typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0;
  const containers = records(at(spec, 'template', 'spec', 'containers'));
  const wanted = request.spec.containers;
  return (
    isCount &&
    replicas <= OPERATION_LIMITS.replicas &&
    replicas === request.spec.replicas &&
    containers.length === wanted.length &&
    containers.every(({ name, image }, i) => name === wanted[i]?.name && image === wanted[i]?.image)
  );
}
