import { describe, expect, it } from 'vitest';
import { publicHost, serviceHosts } from '../../src/render/index.ts';
import { ID, inputFor, rendered } from './fixture.ts';

const SPEC = `name = "shop"
[domains]
"www.example.com" = "web"
"console.example.com" = "web"
"api.example.com" = "api"
[services.web]
image = "registry.example.com/web:1"
port = 8080
public = true
[[services.web.ports]]
name = "console"
port = 9000
target_port = 9001
[services.web.http.console]
port = 9000
domain = "console.example.com"
[services.web.http.admin]
port = 9000
[services.api]
image = "registry.example.com/api:1"
port = 7000
public = true
[services.worker]
image = "registry.example.com/api:1"
`;
const APPS = 'apps.example.com';
const own = (name: string): string => publicHost(name, ID, APPS);

/** Host to port of an Ingress, and the hosts of its certificate. */
function ingress(domains: readonly string[] | undefined, service: string, spec = SPEC) {
  const all = rendered(inputFor(spec, domains === undefined ? {} : { domains }));
  const found = all.workloads.find((one) => one.service === service)?.ingress?.spec as {
    readonly rules: readonly {
      host: string;
      http: { paths: [{ path: string; backend: { service: { name: string; port: { number: number } } } }] };
    }[];
    readonly tls: readonly { readonly hosts: readonly string[] }[];
  };
  const rules = found.rules.map(({ host, http: { paths } }) => [host, paths[0].backend.service.port.number]);
  return { rules, hosts: found.tls.flatMap(({ hosts }) => hosts) };
}

describe('the host names of a service', () => {
  it('are its own, those of its endpoints, and its custom domains, each to its port', () => {
    const { application } = inputFor(SPEC, { preview: true });
    const hosts = (name: string) => serviceHosts({ application, id: ID, options: { appDomain: APPS } }, name);
    expect(hosts('web')).toEqual([
      { host: own('web'), port: 8080, custom: false },
      { host: own('web-admin'), port: 9000, custom: false },
      { host: own('web-console'), port: 9000, custom: false },
      { host: 'console.example.com', port: 9000, custom: true },
      { host: 'www.example.com', port: 8080, custom: true },
    ]);
    expect(hosts('worker')).toEqual([]);
    expect(hosts('nothing')).toEqual([]);
    expect(serviceHosts({ application, id: ID, options: {} }, 'web')).toEqual([]);
  });

  it('keep a pending domain out of the rules and of the certificate', () => {
    for (const domains of [undefined, []] as const) {
      const { rules, hosts } = ingress(domains, 'web');
      const generated = [own('web'), own('web-admin'), own('web-console')];
      expect(rules.map(([host]) => host)).toEqual(generated);
      expect(hosts).toEqual(generated);
    }
  });

  it('lead a verified domain to its service, or to the endpoint that names it', () => {
    const { rules, hosts } = ingress(['www.example.com', 'console.example.com'], 'web');
    expect(rules.slice(3)).toEqual([
      ['console.example.com', 9000],
      ['www.example.com', 8080],
    ]);
    expect(hosts).toEqual(rules.map(([host]) => host));
    expect(ingress(['www.example.com'], 'web').rules.slice(3)).toEqual([['www.example.com', 8080]]);
  });

  it('never lead a verified domain to the service of another', () => {
    expect(ingress(['www.example.com', 'stranger.example.com'], 'api').rules).toEqual([[own('api'), 7000]]);
  });

  it('are labels of at most 63 characters for the longest names there may be', () => {
    const service = `a${'b'.repeat(39)}`;
    const endpoint = 'c'.repeat(8);
    const spec = `name = "shop"\n[services.${service}]\nimage = "r.example.com/a:1"\nport = 80\npublic = true\n[services.${service}.http.${endpoint}]\nport = 80\n`;
    const { application } = inputFor(spec, { preview: true });
    const hosts = serviceHosts({ application, id: ID, options: { appDomain: APPS } }, service);
    expect(hosts.map(({ host }) => host.split('.')[0]?.length)).toEqual([53, 62]);
  });
});
