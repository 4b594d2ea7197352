import type { Application } from './application.ts';
import { checkService } from './check-service.ts';
import { dependencyCycle } from './order.ts';
import type { Finding } from './path.ts';
import type { SpecFile } from './schema.ts';

/** What the cross-field checks look at. */
export type Checked = {
  readonly application: Application;
  /** The file in its own order, so that findings name the file's list indexes. */
  readonly file: SpecFile;
  /** Services the schema refused: they exist, but nothing is known about them. */
  readonly broken: ReadonlySet<string>;
  /** False when the schema refused the networks table. */
  readonly networksKnown: boolean;
};

type Check = (checked: Checked) => readonly Finding[];

/** All cross-field checks, in order. Each is independent: all findings are reported. */
const CHECKS: readonly Check[] = [services, dependencies, cycles, networks, domains];

/** Runs every cross-field check (facts 1.3 to 1.9, 2.5 to 2.7). */
export function check(checked: Checked): readonly Finding[] {
  return CHECKS.flatMap((one) => one(checked));
}

function services({ application, file }: Checked): readonly Finding[] {
  return Object.entries(application.services).flatMap(([name, service]) => {
    const raw = file.services[name];
    return raw === undefined ? [] : checkService(name, service, raw);
  });
}

function dependencies({ application, file, broken }: Checked): readonly Finding[] {
  const exists = (name: string): boolean => Object.hasOwn(application.services, name) || broken.has(name);
  return Object.entries(file.services).flatMap(([name, service]) =>
    (service.depends_on ?? []).flatMap((dependency, i, all): readonly Finding[] => {
      const path = ['services', name, 'depends_on', i];
      if (dependency === name) return [{ path, message: 'a service can not depend on itself' }];
      if (!exists(dependency)) return [{ path, message: 'there is no service of this name' }];
      if (all.indexOf(dependency) !== i) return [{ path, message: 'is listed twice' }];
      return [];
    }),
  );
}

function cycles({ application }: Checked): readonly Finding[] {
  const cycle = dependencyCycle(withoutSelf(application));
  const [first] = cycle;
  if (first === undefined) return [];
  const message = `the dependencies form a cycle: ${[...cycle, first].join(' -> ')}`;
  return [{ path: ['services', first, 'depends_on'], message }];
}

/** A dependency on oneself has a finding of its own. */
function withoutSelf(application: Application): Application['services'] {
  return Object.fromEntries(
    Object.entries(application.services).map(([name, service]) => [
      name,
      { ...service, depends_on: service.depends_on.filter((dependency) => dependency !== name) },
    ]),
  );
}

function networks({ application, file, networksKnown }: Checked): readonly Finding[] {
  return Object.entries(file.services).flatMap(([name, service]) => {
    const list = service.networks;
    if (list === undefined) return [];
    const path = ['services', name, 'networks'];
    if (list.length === 0) return [{ path, message: 'must name a network, or be left out for the default network' }];
    return list.flatMap((network, i): readonly Finding[] => {
      if (networksKnown && !Object.hasOwn(application.networks, network)) {
        return [{ path: [...path, i], message: 'there is no network of this name' }];
      }
      return list.indexOf(network) === i ? [] : [{ path: [...path, i], message: 'is listed twice' }];
    });
  });
}

function domains({ application, broken }: Checked): readonly Finding[] {
  return Object.entries(application.domains).flatMap(([host, target]): readonly Finding[] => {
    const path = ['domains', host];
    if (broken.has(target)) return [];
    const service = Object.hasOwn(application.services, target) ? application.services[target] : undefined;
    if (service === undefined) return [{ path, message: 'there is no service of this name' }];
    return service.public && service.port !== 0 ? [] : [{ path, message: 'must name a public service with a port' }];
  });
}
