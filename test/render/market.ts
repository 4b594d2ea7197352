import type { Manifest } from '../../src/kernel/index.ts';
import { allObjects, type RenderInput } from '../../src/render/index.ts';
import { inputFor, rendered } from './fixture.ts';

/** Everything a specification may say that is rendered, spread over as few services as its rules allow. */
export const MARKET = `
schema_version = 1
name = "shop"
inject_env = true

[env]
REGION = "eu"
LOG_LEVEL = "warn"

[secrets]
APP_KEY = { ref = "app-key" }

[networks.back]
internal = true

[volumes.media]
size_gib = 5
[volumes.pool]
size_gib = 10
storage_class = "shared-files"
access_mode = "ReadWriteMany"

[services.pg]
image = "registry.example.com/pg:16"
port = 5432
networks = ["back"]
run_as_user = 999
run_as_group = 998
fs_group = 997
read_only_root_filesystem = true
working_dir = "/var/lib/pg"
termination_grace_seconds = 60
[services.pg.volume]
mount_path = "/data"
size_gib = 2
storage_class = "fast"
[services.pg.secrets]
POSTGRES_PASSWORD = { ref = "db-password" }
[services.pg.network_access]
from = ["front", "nightly"]
[[services.pg.temporary_mounts]]
mount_path = "/scratch"
size_mib = 64
[[services.pg.temporary_mounts]]
mount_path = "/sockets"
size_mib = 16
memory = true

[services.cache]
image = "registry.example.com/cache:7"
port = 6379
networks = ["back"]
architecture = "arm64"
[services.cache.network_access]
from = []

[services.front]
image = "registry.example.com/front:1"
port = 8080
public = true
networks = ["back", "default"]
restart_nonce = "once-more"
update_strategy = "recreate"
[[services.front.ports]]
name = "console"
port = 9000
target_port = 9001
[services.front.http.console]
port = 9000
[services.front.tls]
issuer = "own-issuer"
issuer_kind = "Issuer"
[services.front.autoscaling]
min_replicas = 2
max_replicas = 5
target_cpu = 60
[services.front.readiness]
protocol = "tcp"
port = 9001
period_seconds = 10
timeout_seconds = 4
failure_threshold = 6
[services.front.env]
LOG_LEVEL = "info"
[services.front.bindings.DATABASE_URL]
service = "pg"
protocol = "postgres"
username = "app"
database = "app"
password = { ref = "db-password" }
[services.front.bindings.ADMIN_URL]
service = "stream"
protocol = "http"
[services.front.files.settings]
mount_path = "/etc/front/settings.yaml"
content = "log_level: info\\n"
[services.front.files.credentials]
mount_path = "/app/credentials.json"
secret = { ref = "front-credentials" }
mode = 288

[services.stream]
image = "registry.example.com/stream:1"
port = 50051
public = true
backend_http2 = true

[services.thumbs]
image = "registry.example.com/thumbs:1"
[[services.thumbs.mounts]]
volume = "media"
mount_path = "/media"
[[services.thumbs.mounts]]
volume = "pool"
mount_path = "/pool"
sub_path = "thumbs"
read_only = true

[services.upload]
image = "registry.example.com/upload:1"
[[services.upload.mounts]]
volume = "media"
mount_path = "/media"

[services.train]
image = "registry.example.com/train:1"
size = "gpu"
node_name = "gpu-node-1"
[services.train.gpu]
count = 2

[services.parked]
image = "registry.example.com/parked:1"
port = 7000
suspended = true
[services.parked.autoscaling]
max_replicas = 3

[services.setup]
image = "registry.example.com/front:1"
command = ["/app/setup"]
networks = ["back"]
[services.setup.job]
retries = 2
[services.setup.files.plan]
mount_path = "/plan.txt"
content = "once"

[services.nightly]
image = "registry.example.com/front:1"
command = ["/app/report"]
networks = ["back"]
[services.nightly.job]
timeout_seconds = 600
retries = 1
[services.nightly.job.schedule]
cron = "30 2 * * *"
timezone = "Europe/Berlin"
history_limit = 2
[services.nightly.bindings.DATABASE_URL]
service = "pg"
protocol = "postgres"
username = "app"
database = "app"
password = { ref = "db-password" }
`;

/** What is rendered for the market, without what every application has under the same name. */
export function marketObjects(input: RenderInput = inputFor(MARKET)): readonly Manifest[] {
  const common = ['Namespace', 'NetworkPolicy/hakopod-default-deny', 'NetworkPolicy/hakopod-acme-http01'];
  return allObjects(rendered(input))
    .filter(({ kind, metadata }) => !common.includes(kind) && !common.includes(`${kind}/${metadata.name}`))
    .map((object) =>
      // The budget with GPUs beside the one without.
      object.kind === 'ResourceQuota' ? { ...object, metadata: { ...object.metadata, name: 'budget-gpu' } } : object,
    );
}
