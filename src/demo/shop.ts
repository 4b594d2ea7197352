/** The demo's application file: a migration, a private api and a public web. */
export function shopFile(input: {
  readonly registry: string;
  readonly build: number;
  readonly patch: boolean;
}): string {
  const { registry, build } = input;
  return `schema_version = 1
name = "shop"

[services.migrate]
image = "${registry}/shop/api:1.4"
command = ["/app/migrate"]
secrets = { DATABASE_PASSWORD = { ref = "db-password" } }

[services.migrate.job]
timeout_seconds = 60
retries = 1

[services.api]
image = "${registry}/shop/api:1.4"
port = 8080
replicas = 2
healthcheck = "/healthz"
depends_on = ["migrate"]
env = { LOG_LEVEL = "info", BUILD_NUMBER = "${build}" }
secrets = { DATABASE_PASSWORD = { ref = "db-password" } }
${input.patch ? "\n[services.api.kubernetes]\ndeployment = '''\nspec:\n  template:\n    spec:\n      hostNetwork: true\n'''\n" : ''}
[services.web]
image = "${registry}/shop/web:2.0"
port = 3000
public = true
depends_on = ["api"]
env = { API_URL = "http://api:8080" }
`;
}
