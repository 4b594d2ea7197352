import type { Application } from '../spec/index.ts';

type Warn = (next: Application, previous: Application | undefined) => readonly string[];

const WARNINGS: readonly Warn[] = [customDomains, jobs, mixedNetworks, publicServices, removedServices];

/** What a reader of a plan should know beyond the differences (facts 2.13). Texts name services and fields, never values. */
export function warningsFor(next: Application, previous: Application | undefined): readonly string[] {
  return WARNINGS.flatMap((warn) => warn(next, previous));
}

function customDomains(next: Application, previous: Application | undefined): readonly string[] {
  const known = previous?.domains ?? {};
  const isNew = Object.keys(next.domains).some((host) => !Object.hasOwn(known, host));
  return isNew ? ['domains: a custom domain stays inactive until its ownership is verified'] : [];
}

function jobs(next: Application): readonly string[] {
  return each(next, (service) => service.job !== undefined).map(
    (name) =>
      `services.${name}.job: runs again with every new revision, rollbacks included, and may be retried; its effects outside must be idempotent`,
  );
}

function mixedNetworks(next: Application): readonly string[] {
  const internal = (network: string): boolean => next.networks[network]?.internal === true;
  return each(next, ({ networks }) => networks.some(internal) && !networks.every(internal)).map(
    (name) => `services.${name}.networks: one network that is not internal is enough to reach the internet`,
  );
}

function publicServices(next: Application, previous: Application | undefined): readonly string[] {
  const before = previous?.services ?? {};
  return each(next, (service) => service.public)
    .filter((name) => !Object.hasOwn(before, name) || before[name]?.public !== true)
    .map((name) => `services.${name}.public: is served over HTTPS only when the installation has a TLS issuer`);
}

function removedServices(next: Application, previous: Application | undefined): readonly string[] {
  return Object.keys(previous?.services ?? {})
    .filter((name) => !Object.hasOwn(next.services, name))
    .sort()
    .map((name) => `services.${name}: is removed with its workload`);
}

function each(
  application: Application,
  test: (service: Application['services'][string]) => boolean,
): readonly string[] {
  return Object.entries(application.services)
    .filter(([, service]) => test(service))
    .map(([name]) => name)
    .sort();
}
