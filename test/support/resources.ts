import type {
  Application,
  BuildRun,
  GitRepository,
  GitSource,
  NewResource,
  PullRequestPlan,
  Release,
} from '../../src/ports/index.ts';

/** A repository as the command line makes it. */
export function newRepository(name: string, spec: Partial<GitRepository['spec']> = {}): NewResource<GitRepository> {
  return {
    name,
    spec: {
      forge: 'github',
      url: 'https://forge.example/acme/shop.git',
      repositoryId: '1',
      project: 'acme/shop',
      webhookAuth: 'hmac',
      hookId: '0123456789abcdef0123456789abcdef',
      intervalSeconds: 60,
      ...spec,
    },
  };
}

/** A source bound to one ref. */
export function newSource(name: string, repository: string, ref: string): NewResource<GitSource> {
  const application = { project: 'acme', environment: 'production', name: 'shop' };
  return {
    name,
    spec: {
      repository,
      ref,
      path: 'hakopod.toml',
      application,
      grant: {
        permissions: ['deployments:read', 'deployments:write'],
        refs: [ref],
        path: 'hakopod.toml',
        application,
        domains: [],
        registries: ['**'],
        buildArgs: ['**'],
        limits: {},
        pullRequests: 'plan',
        owner: 'somebody',
        revision: 1,
        expiresAt: '2030-01-01T00:00:00Z',
      },
    },
  };
}

/** An application with this id. */
export function newApplication(name: string, id = 'a'.repeat(32)): NewResource<Application> {
  return { name, spec: { id, project: 'acme', environment: 'production', name: 'shop' } };
}

/** Revision `revision` of an application. */
export function newRelease(application: string, revision: number): NewResource<Release> {
  return {
    name: `${application}.${revision}`,
    spec: {
      application,
      applicationId: 'a'.repeat(32),
      revision,
      specDigest: 'sha256:0',
      spec: 'H4sIAAAA',
      origin: { kind: 'git', actor: 'git', commit: 'c'.repeat(40) },
    },
  };
}

/** The plan of pull request `number` for a source. */
export function newPlan(source: string, number: number): NewResource<PullRequestPlan> {
  const application = { project: 'acme', environment: 'production', name: 'shop' };
  return { name: `${source}.${number}`, spec: { repository: 'shop', source, application, number } };
}

/** A build of one application at a commit. */
export function newBuildRun(application: string, name: string): NewResource<BuildRun> {
  return {
    name,
    spec: {
      application,
      applicationId: 'a'.repeat(32),
      source: application,
      service: 'web',
      commit: 'c'.repeat(40),
      revision: `sha256:${'0'.repeat(64)}`,
      build: { context: '.', dockerfile: 'Dockerfile', build_args: { GREETING: 'hello' } },
      repository: 'registry.example.com/web',
      tag: 'c0ffee',
    },
  };
}
