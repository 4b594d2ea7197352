import { stringify } from 'yaml';
import { fail, type Manifest, ok, problem, type Result } from '../../../kernel/index.ts';
import { enrolmentSecret, operationsDeployment, permissionObjects } from './objects.ts';

/** What the file is made for. */
export type PermissionsInput = {
  /** For people: the name of the cluster. It stands in a comment. */
  readonly name: string;
  /** Where may be deployed, operated and exec'd; sorted, distinct. Reading is everywhere. */
  readonly namespaces: readonly string[];
  /** Pinned by digest; with it the file holds the Deployment too. */
  readonly image?: string;
};
export type EnrolmentInput = PermissionsInput & {
  readonly image: string;
  /** An https URL. It holds a token, which appears once in the file. */
  readonly link: string;
};

/** Cluster operations 0.1. */
const MANIFEST_NAMESPACES = 32;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const PINNED = /^[a-z0-9][a-z0-9._:/-]*(?::[\w][\w.-]{0,127})?@sha256:[0-9a-f]{64}$/;

/**
 * The file an administrator applies to enrol a cluster (cluster operations 16): the account, what it may do, its enrolment and the process.
 * `invalid_request`, with the field, for what can not be put in a file. Applying it again with other namespaces changes the grant; a namespace
 * that is dropped keeps its Role until that is deleted by hand.
 */
export function renderEnrolment(input: EnrolmentInput): Result<string> {
  const checked = check(input) ?? checkLink(input.link);
  if (checked !== undefined) return checked;
  return ok(
    file(input, [
      ...permissionObjects(input.namespaces),
      enrolmentSecret(input.link),
      operationsDeployment(input.image),
    ]),
  );
}

/** The same without the enrolment Secret, for changing namespaces or upgrading in place; without the Deployment when no image is named. */
export function renderPermissions(input: PermissionsInput): Result<string> {
  const checked = check(input);
  if (checked !== undefined) return checked;
  const { image } = input;
  const objects = permissionObjects(input.namespaces);
  return ok(file(input, image === undefined ? objects : [...objects, operationsDeployment(image)]));
}

/** A name for the file, from whatever the cluster is called. */
export function manifestFileName(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `hakopod-operations-${slug === '' ? 'cluster' : slug}.yaml`;
}

function check({ name, namespaces, image }: PermissionsInput): Result<never> | undefined {
  if (name.trim() === '') return refuse('name', 'is needed');
  if (namespaces.length > MANIFEST_NAMESPACES) return refuse('namespaces', `at most ${MANIFEST_NAMESPACES}`);
  if (!namespaces.every((namespace) => LABEL.test(namespace)))
    return refuse('namespaces', 'must be names of namespaces');
  if (namespaces.some((namespace, i) => i > 0 && namespace <= (namespaces[i - 1] ?? '')))
    return refuse('namespaces', 'must be sorted, each once');
  return image === undefined || PINNED.test(image) ? undefined : refuse('image', 'must be pinned by its sha256 digest');
}

function checkLink(link: string): Result<never> | undefined {
  return URL.canParse(link) && new URL(link).protocol === 'https:' && !/\s/.test(link)
    ? undefined
    : refuse('link', 'must be an https URL');
}

function refuse(at: string, message: string): Result<never> {
  return fail(problem('invalid_request', message, { at }));
}

/** Double quotes around every scalar that came from outside: JSON strings are YAML, whatever they hold. */
function file({ name, namespaces }: PermissionsInput, objects: readonly Manifest[]): string {
  const granted = namespaces.length === 0 ? 'none' : namespaces.join(', ');
  const header = [
    `# Hakopod on the cluster ${comment(name)}.`,
    '#',
    '# It may read nodes, namespaces, pods, their logs, events, services, claims, workloads and storage classes everywhere, and no Secret or',
    '# ConfigMap outside the namespaces below. It keeps its identity in its own namespace.',
    `# It may deploy, operate and exec in: ${granted}.`,
    '# Whoever may create Deployments in a namespace can run any pod there, with every Secret and service account of it. Hakopod writes and',
    '# execs only where the namespace enforces Pod Security "baseline" or "restricted".',
    '#',
    '# These namespaces must exist before this file is applied. A namespace that is dropped from a later file keeps its Role until that is',
    '# deleted by hand. Delete the Secret hakopod-operations-enrolment, if it is here, once the cluster is approved.',
  ];
  const documents = objects.map((object) =>
    stringify(object, {
      lineWidth: 0,
      defaultKeyType: 'PLAIN',
      defaultStringType: 'QUOTE_DOUBLE',
      aliasDuplicateObjects: false,
    }),
  );
  return `${header.join('\n')}\n${documents.map((document) => `---\n${document}`).join('')}`;
}

/** One line of visible ASCII: a comment must not end where a name wants it to. */
function comment(name: string): string {
  return JSON.stringify(name).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
