const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits shared by several parts. Sources: facts (F), DESIGN (D), field lessons (L). */
export const LIMITS = {
  /** Bytes of a specification file, and of its canonical JSON (F 1). */
  specBytes: 256 * KIB,
  /** Unknown keys listed in one error (F 1). */
  unknownKeysListed: 16,
  services: 20,
  networks: 16,
  domains: 20,
  extraPorts: 15,
  envEntries: 128,
  envValueBytes: 4096,
  secretsPerService: 32,
  commandElements: 64,
  argsElements: 128,
  buildArgs: 32,
  buildArgBytes: 2048,
  patchBytes: 16 * KIB,
  /** Bytes of a webhook body (issue: 5 MiB while streaming). */
  hookBodyBytes: 5 * MIB,
  /** Bytes of one application secret's value, and secrets per application (F 6.6). */
  secretValueBytes: 64 * KIB,
  secretsPerApplication: 100,
  /** Bytes of all secrets one service reads (F 6.6). */
  secretBytesPerService: 512 * KIB,
  /** Characters of a comment, as UTF-16 counts them: GitHub refuses more than 65,536 and GitLab more than 1,000,000 (L 3.3, 12). */
  commentCharacters: 60_000,
  /** Characters of a commit status description (L 3.3). */
  statusDescription: 140,
  /** Statuses of one commit and context before only a final one is sent; GitHub keeps 1,000 (L 3.3, P5). */
  statusWrites: 100,
  /** Releases of one application that wait (F 6.2) and that are kept when final (D 4). */
  pendingReleases: 20,
  releaseHistory: 10,
  /** Objects of one application that cleaning up looks at (F 3.6). */
  cleanupJobs: 200,
  cleanupCronJobs: 20,
  cleanupDeployments: 100,
  /** Commits whose status a source remembers, and those at most while the forge takes none: an object may have 1.5 MB. */
  commitsRemembered: 100,
  commitsOwed: 500,
  /** How long a commit waits for a person's approval, and for other programs' checks; then it ends refused (L 18: no wait without an end). */
  approvalDays: 30,
  checksHours: 24,
  /** Plans of open pull requests one repository may have (L 12: comments are not free). */
  openPlans: 100,
  /** Preview environments of one project, those on their way out included (F 4.9). */
  previewsPerProject: 3,
  /** The preflight (F 11): nodes, active pods and storage classes looked at, and milliseconds it may take. */
  preflightNodes: 200,
  preflightPods: 10_000,
  preflightStorageClasses: 100,
  preflightMs: 10_000,
  /** Free bytes that one node must have for pulling and unpacking images (F 11.3). */
  diskBytes: 2 * KIB * MIB,
  /** People and programs: live keys, identities, custom roles, projects, registry credentials of one environment. */
  keys: 1000,
  identities: 1000,
  roles: 100,
  projects: 1000,
  registriesPerEnvironment: 50,
  /** Uploaded certificates of one service (F 3.1). */
  certificatesPerService: 64,
} as const;
