import { allowsPeer, shareNetwork } from './network.ts';
import { dependencyCycle } from './order.ts';
import type { Finding } from './path.ts';
import { at, type Checked, when } from './rule.ts';

const NO_SERVICE = 'there is no service of this name';

/** Whether the file has a service, be it one the schema refused. */
function exists({ application, known }: Checked, name: string): boolean {
  return Object.hasOwn(application.services, name) || !known.service(name);
}

/** Facts 1.3 and 2.7. */
export function checkDependencies(checked: Checked): readonly Finding[] {
  const { application, file, known } = checked;
  return Object.entries(file.services).flatMap(([name, { depends_on = [] }]) =>
    depends_on.flatMap((dependency, i, all): readonly Finding[] => {
      const path = ['services', name, 'depends_on', i];
      if (dependency === name) return at(path, 'a service can not depend on itself');
      if (!exists(checked, dependency)) return at(path, NO_SERVICE);
      if (all.indexOf(dependency) !== i) return at(path, 'is listed twice');
      const target = Object.hasOwn(application.services, dependency) ? application.services[dependency] : undefined;
      if (target === undefined || !known.fields(dependency, ['job', 'session'])) return [];
      const later = target.job?.schedule !== undefined || target.job?.invocation !== undefined;
      return [
        ...when(later, path, 'can not be a scheduled job or one that people start'),
        ...when(target.session !== undefined, path, 'can not be a session'),
      ];
    }),
  );
}

/** Facts 2.7. */
export function checkCycles({ application }: Checked): readonly Finding[] {
  // a dependency on oneself has a finding of its own
  const services = Object.fromEntries(
    Object.entries(application.services).map(([name, service]) => [
      name,
      { depends_on: service.depends_on.filter((dependency) => dependency !== name) },
    ]),
  );
  const cycle = dependencyCycle(services);
  const [first] = cycle;
  if (first === undefined) return [];
  return at(['services', first, 'depends_on'], `the dependencies form a cycle: ${[...cycle, first].join(' -> ')}`);
}

/** Facts 1.2 and 1.3. */
export function checkNetworks({ application, file, known }: Checked): readonly Finding[] {
  const half = Object.entries(application.networks).flatMap(([name, { virtual_network, segment }]) =>
    when(
      (virtual_network === '') !== (segment === ''),
      ['networks', name, virtual_network === '' ? 'virtual_network' : 'segment'],
      'is required: virtual_network and segment belong together',
    ),
  );
  const lists = Object.entries(file.services).flatMap(([name, { networks: list, session }]) => {
    if (list === undefined || session !== undefined) return [];
    const path = ['services', name, 'networks'];
    if (list.length === 0) return at(path, 'must name a network, or be left out for the default network');
    return list.flatMap((network, i): readonly Finding[] => {
      if (known.root('networks') && !Object.hasOwn(application.networks, network)) {
        return at([...path, i], 'there is no network of this name');
      }
      return when(list.indexOf(network) !== i, [...path, i], 'is listed twice');
    });
  });
  return [...half, ...lists];
}

/** Facts 2.5. */
export function checkNetworkAccess(checked: Checked): readonly Finding[] {
  const { application, file, known } = checked;
  return Object.entries(file.services).flatMap(([name, { network_access: access, session }]) => {
    if (access === undefined || session !== undefined) return [];
    const path = ['services', name, 'network_access'];
    const from = (access.from ?? []).flatMap((peer, i): readonly Finding[] => {
      if (!exists(checked, peer)) return at([...path, 'from', i], NO_SERVICE);
      if (!known.fields(name, ['networks']) || !known.fields(peer, ['networks', 'session'])) return [];
      return when(!shareNetwork(application, peer, name), [...path, 'from', i], 'shares no network with this service');
    });
    const others = access.from_applications ?? [];
    const own = others.flatMap((pair, i) =>
      when(
        known.root('name') && pair.startsWith(`${application.name}/`),
        [...path, 'from_applications', i],
        'is of this application; put the service into from',
      ),
    );
    const judged = known.root('networks') && known.fields(name, ['networks']) && others.length > 0;
    const virtual = (application.services[name]?.networks ?? []).some(
      (network) =>
        Object.hasOwn(application.networks, network) && application.networks[network]?.virtual_network !== '',
    );
    return [
      ...from,
      ...own,
      ...when(
        judged && !virtual,
        [...path, 'from_applications'],
        'needs a network of the service that is on a virtual network',
      ),
    ];
  });
}

/** Facts 1.12: a binding leads to the primary port of a service that lets this one in. */
export function checkBindingTargets(checked: Checked): readonly Finding[] {
  const { application, file, known } = checked;
  return Object.entries(file.services).flatMap(([name, { bindings = {} }]) =>
    Object.entries(bindings).flatMap(([key, { service: target }]): readonly Finding[] => {
      const path = ['services', name, 'bindings', key, 'service'];
      if (target === name) return at(path, 'must be another service');
      if (!exists(checked, target)) return at(path, NO_SERVICE);
      const service = Object.hasOwn(application.services, target) ? application.services[target] : undefined;
      if (service === undefined || !known.fields(target, ['job', 'port', 'networks', 'network_access', 'session'])) {
        return [];
      }
      if (service.job !== undefined) return at(path, 'must not be a job');
      if (service.port === 0) return at(path, 'must be a service with a port');
      return when(
        known.fields(name, ['networks']) && !allowsPeer(application, name, target),
        path,
        'does not let this service in: they share no network, or its network_access does not list this one',
      );
    }),
  );
}
