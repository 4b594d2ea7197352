import { type Application, isDeploymentJob, type Service } from '../spec/index.ts';

type Warn = (next: Application, previous: Application | undefined) => readonly string[];

/** In the order of facts 2.13, then what it does not mention. */
const WARNINGS: readonly Warn[] = [
  customDomains,
  scheduledJobs,
  deploymentJobs,
  fileContents,
  persistentServices,
  gpus,
  mixedNetworks,
  plainHealthchecks,
  publicServices,
  removedServices,
];

/** What a reader of a plan should know beyond the differences (facts 2.13). Texts name services and fields, never values. */
export function warningsFor(next: Application, previous: Application | undefined): readonly string[] {
  return WARNINGS.flatMap((warn) => warn(next, previous));
}

function customDomains(next: Application, previous: Application | undefined): readonly string[] {
  const known = previous?.domains ?? {};
  const isNew = Object.keys(next.domains).some((host) => !Object.hasOwn(known, host));
  return isNew ? ['domains: a custom domain stays inactive until its ownership is verified'] : [];
}

function scheduledJobs(next: Application): readonly string[] {
  return each(next, ({ job }) => job?.schedule !== undefined).map(
    (name) => `services.${name}.job.schedule: a run is skipped while the one before it is still going on`,
  );
}

function deploymentJobs(next: Application): readonly string[] {
  return each(next, isDeploymentJob).map(
    (name) =>
      `services.${name}.job: runs again with every new revision, rollbacks included, and may be retried; its effects outside must be idempotent`,
  );
}

function fileContents(next: Application): readonly string[] {
  return each(next, ({ files }) => Object.values(files).some(({ content }) => content !== undefined)).map(
    (name) =>
      `services.${name}.files: contents are kept in the history of releases; what is secret belongs in a secret`,
  );
}

/** Facts 1.10: what has a volume is never there twice, so that an update first stops it. Jobs end by themselves. */
function persistentServices(next: Application): readonly string[] {
  const isPersistent = ({ job, volume, mounts }: Service): boolean =>
    job === undefined && (volume !== undefined || mounts.length > 0);
  return each(next, isPersistent).map(
    (name) => `services.${name}: keeps data on a volume, so it has one replica and is down while an update replaces it`,
  );
}

function gpus(next: Application): readonly string[] {
  return each(next, ({ gpu }) => gpu !== undefined).map(
    (name) => `services.${name}.gpu: is placed only where a node has the GPU and its device plugin`,
  );
}

function mixedNetworks(next: Application): readonly string[] {
  const internal = (network: string): boolean => next.networks[network]?.internal === true;
  return each(next, ({ networks }) => networks.some(internal) && !networks.every(internal)).map(
    (name) => `services.${name}.networks: one network that is not internal is enough to reach the internet`,
  );
}

function plainHealthchecks(next: Application): readonly string[] {
  return each(next, ({ backend_http2, healthcheck }) => backend_http2 && healthcheck !== '').map(
    (name) =>
      `services.${name}.healthcheck: is asked over HTTP/1.1, which a server that speaks only HTTP/2 does not answer`,
  );
}

/** A service with its own certificate or issuer needs none of the installation. */
function publicServices(next: Application, previous: Application | undefined): readonly string[] {
  const before = previous?.services ?? {};
  return each(next, (service) => service.public && service.tls === undefined)
    .filter((name) => !Object.hasOwn(before, name) || before[name]?.public !== true)
    .map((name) => `services.${name}.public: is served over HTTPS only when the installation has a TLS issuer`);
}

function removedServices(next: Application, previous: Application | undefined): readonly string[] {
  return Object.keys(previous?.services ?? {})
    .filter((name) => !Object.hasOwn(next.services, name))
    .sort()
    .map((name) => `services.${name}: is removed with its workload`);
}

function each(application: Application, test: (service: Service) => boolean): readonly string[] {
  return Object.entries(application.services)
    .filter(([, service]) => test(service))
    .map(([name]) => name)
    .sort();
}
