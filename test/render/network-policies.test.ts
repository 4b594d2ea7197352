import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/kernel/index.ts';
import { type Application, parseSpec } from '../../src/spec/index.ts';
import { allowsConnection, type End, type PolicyPod, type PolicyPort } from '../support/network-policies.ts';
import { ID, inputFor, rendered } from './fixture.ts';

const NAMESPACE = `hp-${ID}`;
const DNS: PolicyPod = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
const CONTROLLER: PolicyPod = {
  namespace: 'haproxy-controller',
  labels: { 'app.kubernetes.io/name': 'kubernetes-ingress', 'app.kubernetes.io/instance': 'hakopod-ingress' },
};
/** Facts 3.5: what is no internet. The first and the last address of each range, and what lies just outside of some. */
const CLOSED = [
  ...['0.0.0.1', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1'],
  ...['169.254.0.0', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.168.0.0'],
  ...[
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.0',
    '255.255.255.255',
  ],
];
const OPEN = [
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...[
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.167.255.255',
  ],
  ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
];

/** The pod of a service as it is rendered. */
function podOf(workload: Manifest): PolicyPod {
  const spec = workload.spec as {
    readonly template?: { readonly metadata: { readonly labels: Record<string, string> } };
    readonly jobTemplate?: {
      readonly spec: { readonly template: { readonly metadata: { readonly labels: Record<string, string> } } };
    };
  };
  const template = spec.template ?? spec.jobTemplate?.spec.template;
  return { namespace: NAMESPACE, labels: template?.metadata.labels ?? {} };
}

type World = {
  readonly application: Application;
  readonly pods: ReadonlyMap<string, PolicyPod>;
  readonly allows: (from: End, to: End, port: PolicyPort) => boolean;
};

function worldOf(toml: string): World {
  const input = inputFor(toml);
  const all = rendered(input);
  return {
    application: input.application,
    pods: new Map(all.workloads.map(({ service, workload }) => [service, podOf(workload)])),
    allows: (from, to, port) => allowsConnection(all.networkPolicies, { from, to, port }),
  };
}

/** Facts 2.5 and 3.5 in words of their own: what each service may be asked by each other one, by the pods' ports. */
function mayReach({ application }: World, from: string, to: string): boolean {
  const [a, b] = [application.services[from], application.services[to]];
  if (a === undefined || b === undefined || from === to) return false;
  const shared = a.networks.filter((network) => b.networks.includes(network));
  return shared.length > 0 && (b.network_access === undefined || b.network_access.from.includes(from));
}

function listensOn({ application }: World, service: string): ReadonlySet<string> {
  const spec = application.services[service];
  const primary = spec === undefined || spec.port === 0 ? [] : [`TCP/${spec.port}`];
  return new Set([...primary, ...(spec?.ports ?? []).map((one) => `${one.protocol}/${one.target_port}`)]);
}

const PORTS: readonly PolicyPort[] = [
  ...[53, 80, 8080, 9000, 9001, 7946, 65_535].map((port) => ({ protocol: 'TCP' as const, port })),
  ...[53, 7946, 8080].map((port) => ({ protocol: 'UDP' as const, port })),
];

/** Every answer the policies give that facts do not, in words. */
function differences(world: World): readonly string[] {
  const found: string[] = [];
  const expectThat = (what: string, is: boolean, should: boolean): void => {
    if (is !== should) found.push(`${what}: ${is ? 'allowed' : 'denied'}`);
  };
  const stranger: PolicyPod = { namespace: NAMESPACE, labels: { app: 'stranger' } };
  const neighbour: PolicyPod = { namespace: `hp-${'f'.repeat(32)}`, labels: [...world.pods.values()][0]?.labels ?? {} };
  for (const [name, pod] of world.pods) {
    const spec = world.application.services[name];
    const listens = listensOn(world, name);
    for (const port of PORTS) {
      const shown = `${port.protocol}/${port.port}`;
      for (const [other, peer] of world.pods)
        if (other !== name)
          expectThat(
            `${other} to ${name} ${shown}`,
            world.allows(peer, pod, port),
            mayReach(world, other, name) && listens.has(shown),
          );
      expectThat(`a stranger to ${name} ${shown}`, world.allows(stranger, pod, port), false);
      expectThat(`a neighbour to ${name} ${shown}`, world.allows(neighbour, pod, port), false);
      expectThat(`${name} to a stranger ${shown}`, world.allows(pod, stranger, port), false);
      expectThat(`${name} to a neighbour ${shown}`, world.allows(pod, neighbour, port), false);
      expectThat(`${name} to DNS ${shown}`, world.allows(pod, DNS, port), port.port === 53);
      expectThat(
        `the controller to ${name} ${shown}`,
        world.allows(CONTROLLER, pod, port),
        isPublicPort(world, name, port),
      );
      expectThat(`the internet to ${name} ${shown}`, world.allows({ address: '1.1.1.1' }, pod, port), false);
      const isOpen = spec?.networks.some((network) => world.application.networks[network]?.internal === false) === true;
      for (const address of OPEN)
        expectThat(`${name} to ${address} ${shown}`, world.allows(pod, { address }, port), isOpen);
      for (const address of CLOSED)
        expectThat(`${name} to ${address} ${shown}`, world.allows(pod, { address }, port), false);
    }
  }
  return found;
}

/** What the controller leads people to: the primary port, and the targets of additional endpoints. */
function isPublicPort({ application }: World, name: string, { protocol, port }: PolicyPort): boolean {
  const spec = application.services[name];
  if (spec?.public !== true || protocol !== 'TCP') return false;
  const endpoints = Object.values(spec.http).map((one) => one.port);
  const targets = spec.ports
    .filter((one) => one.protocol === 'TCP' && endpoints.includes(one.port))
    .map((one) => one.target_port);
  return [spec.port, ...targets].includes(port);
}

const NETWORKS = ['default', 'back', 'front', 'deep'] as const;
const NAMES = ['a', 'b', 'c', 'd'] as const;

/** Services with random networks, ports, access lists and endpoints, as a file; those that are not valid are left out. */
const applications = fc
  .record({
    internal: fc.subarray(['back', 'front', 'deep']),
    services: fc.array(
      fc.record({
        networks: fc.subarray([...NETWORKS], { minLength: 1 }),
        port: fc.constantFrom(0, 8080, 9000),
        console: fc.boolean(),
        gossip: fc.boolean(),
        isPublic: fc.boolean(),
        from: fc.option(fc.subarray([...NAMES])),
      }),
      { minLength: 2, maxLength: 4 },
    ),
  })
  .map(({ internal, services }) => {
    const networks = ['back', 'front', 'deep'].map(
      (name) => `[networks.${name}]\ninternal = ${internal.includes(name)}\n`,
    );
    const texts = services.map(({ networks: own, port, console: hasConsole, gossip, isPublic, from }, i) => {
      const name = NAMES[i];
      const shown = port !== 0 && isPublic;
      return [
        `[services.${name}]\nimage = "r.example.com/a:1"\nport = ${port}\npublic = ${shown}\nnetworks = ${JSON.stringify(own)}\n`,
        from === null
          ? ''
          : `network_access = { from = ${JSON.stringify(from.filter((one) => one !== name && NAMES.indexOf(one) < services.length && sharesNetwork(services, i, NAMES.indexOf(one))))} }\n`,
        hasConsole ? `[[services.${name}.ports]]\nname = "console"\nport = 80\ntarget_port = 9001\n` : '',
        gossip ? `[[services.${name}.ports]]\nname = "gossip"\nport = 7946\nprotocol = "UDP"\n` : '',
        hasConsole && shown ? `[services.${name}.http.console]\nport = 80\n` : '',
      ].join('');
    });
    return `name = "shop"\n${networks.join('')}${texts.join('')}`;
  })
  .filter((text) => parseSpec(text).ok);

function sharesNetwork(services: readonly { readonly networks: readonly string[] }[], a: number, b: number): boolean {
  return services[a]?.networks.some((network) => services[b]?.networks.includes(network)) === true;
}

describe('network policies', () => {
  it('let through what facts 2.5 and 3.5 let through, and nothing else', () => {
    fc.assert(
      fc.property(applications, (toml) => {
        expect(differences(worldOf(toml))).toEqual([]);
      }),
      { numRuns: 60, seed: 11 },
    );
  });

  it('are made for applications that differ: some peers talk, some may not, some have an internet and some are public', () => {
    const seen = new Set<string>();
    for (const toml of fc.sample(applications, { numRuns: 60, seed: 11 })) {
      const world = worldOf(toml);
      for (const from of world.pods.keys())
        for (const to of world.pods.keys()) if (from !== to) seen.add(`peer ${mayReach(world, from, to)}`);
      for (const [name, pod] of world.pods) {
        const spec = world.application.services[name];
        seen.add(
          `access ${spec?.network_access === undefined ? 'any' : spec.network_access.from.length > 0 ? 'some' : 'none'}`,
        );
        seen.add(`public ${spec?.public}`).add(`endpoint ${Object.keys(spec?.http ?? {}).length > 0}`);
        seen.add(`internet ${world.allows(pod, { address: '1.1.1.1' }, { protocol: 'TCP', port: 443 })}`);
      }
    }
    expect([...seen].sort()).toEqual([
      ...['access any', 'access none', 'access some', 'endpoint false', 'endpoint true', 'internet false'],
      ...['internet true', 'peer false', 'peer true', 'public false', 'public true'],
    ]);
  });

  it('let the controller reach the solver of a certificate challenge, and nobody else', () => {
    const world = worldOf(`name = "shop"\n[services.web]\nimage = "r.example.com/a:1"\nport = 8080\npublic = true\n`);
    const solver = { namespace: NAMESPACE, labels: { 'acme.cert-manager.io/http01-solver': 'true' } };
    const at = (port: number): PolicyPort => ({ protocol: 'TCP', port });
    expect(world.allows(CONTROLLER, solver, at(8089))).toBe(true);
    expect(world.allows(CONTROLLER, solver, at(8080))).toBe(false);
    expect(world.allows(world.pods.get('web') as PolicyPod, solver, at(8089))).toBe(false);
    expect(world.allows({ ...CONTROLLER, namespace: 'default' }, world.pods.get('web') as PolicyPod, at(8080))).toBe(
      false,
    );
  });
});
