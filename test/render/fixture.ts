import { releaseName } from '../../src/kernel/index.ts';
import {
  DEFAULT_RENDER_OPTIONS,
  type Rendered,
  type RenderInput,
  renderApplication,
  secretValues,
} from '../../src/render/index.ts';
import { type Application, parseSpec, requiredSecrets } from '../../src/spec/index.ts';

export const ID = '0123456789abcdef0123456789abcdef';
export const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const NAME = 'acme.production.shop';

/** Every kind of service we render: public, private with UDP and a shared target, worker without ports, cut off, and a job. */
export const SHOP = `
schema_version = 1
name = "shop"

[networks.back]
internal = true

[services.db]
image = "registry.example.com/db:16"
port = 5432
networks = ["back"]
size = "medium"
startup_timeout_seconds = 601

[services.migrate]
image = "registry.example.com/api:1"
command = ["/app/migrate"]
args = ["--all"]
depends_on = ["db"]
networks = ["back"]
[services.migrate.secrets]
DATABASE_URL = { ref = "database-url" }
[services.migrate.job]
timeout_seconds = 300
retries = 1

[services.api]
image = "registry.example.com/api:1"
port = 9000
depends_on = ["db", "migrate"]
networks = ["back", "default"]
replicas = 2
[[services.api.ports]]
name = "admin"
port = 9100
target_port = 9000
[[services.api.ports]]
name = "gossip"
port = 7946
protocol = "UDP"
[services.api.env]
LOG_LEVEL = "info"
EMPTY = ""
[services.api.secrets]
DATABASE_URL = { ref = "database-url" }
SIGNING = { ref = "signing" }

[services.web]
image = "registry.example.com/web:1"
port = 8080
public = true
healthcheck = "/healthz"
depends_on = ["api"]
[services.web.resources]
cpu_request = "0.25"
memory_limit = "1024Mi"

[services.worker]
image = "registry.example.com/worker:1"
args = ["--queue", "mail"]
`;

/** Parses a specification that must be valid. */
export function parsed(text: string): Application {
  const result = parseSpec(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.application;
}

/** A pinned reference for a service. */
export function pinned(service: string): string {
  return `registry.example.com/${service}@sha256:${Buffer.from(service).toString('hex').padEnd(64, '0').slice(0, 64)}`;
}

/** Everything a rendering needs, for this text; a variable's secret value is its own name, every other one the name of its secret. */
export function inputFor(text: string, changes: Partial<RenderInput> = {}): RenderInput {
  const application = parsed(text);
  const services = Object.entries(application.services);
  const values = secretValues(application, new Map(requiredSecrets(application).map((ref) => [ref, ref])));
  return {
    application,
    key: KEY,
    id: ID,
    revision: 3,
    operation: releaseName(NAME, 3),
    images: Object.fromEntries(services.map(([name]) => [name, pinned(name)])),
    secrets: Object.fromEntries(
      services.map(([name, service]) => [
        name,
        {
          ...values[name],
          ...Object.fromEntries(Object.keys(service.secrets).map((key) => [key, Buffer.from(key).toString('base64')])),
        },
      ]),
    ),
    creationId: 'c0ffee00c0ffee00',
    options: { ...DEFAULT_RENDER_OPTIONS, appDomain: 'apps.example.com', tlsIssuer: 'letsencrypt' },
    ...changes,
  };
}

/** The rendering of an input that must be accepted. */
export function rendered(input: RenderInput = inputFor(SHOP)): Rendered {
  const result = renderApplication(input);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}
