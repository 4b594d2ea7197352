import type { Manifest } from '../../src/kernel/index.ts';
import type { Fields, PatchKind } from '../../src/patch/index.ts';
import { allObjects } from '../../src/render/index.ts';
import { inputFor, rendered } from '../render/fixture.ts';

const SHOP = `
schema_version = 1
name = "shop"

[services.api]
image = "registry.example.com/api:1"
port = 53
public = true
command = ["/app/serve"]
args = ["--verbose", "--color", "--level=3"]
[[services.api.ports]]
name = "admin"
port = 9100
[[services.api.ports]]
name = "dns-udp"
port = 53
protocol = "UDP"
[[services.api.ports]]
name = "gossip"
port = 7946
protocol = "UDP"
[services.api.env]
LOG_LEVEL = "info"
EMPTY = ""
ZONE = "a"
[services.api.secrets]
DATABASE_URL = { ref = "database-url" }

[services.worker]
image = "registry.example.com/worker:1"
`;

const KINDS: Readonly<Record<string, PatchKind>> = { Deployment: 'deployment', Service: 'service', Ingress: 'ingress' };

export type Patchable = { readonly kind: PatchKind; readonly object: Fields };

/** A rendered manifest as plain JSON. */
export function plain(manifest: Manifest): Fields {
  return JSON.parse(JSON.stringify(manifest)) as Fields;
}

/** Every rendered object that may be patched. */
export function patchables(): readonly Patchable[] {
  return allObjects(rendered(inputFor(SHOP))).flatMap((manifest) => {
    const kind = KINDS[manifest.kind];
    return kind === undefined ? [] : [{ kind, object: plain(manifest) }];
  });
}

/** The rendered object of a kind. */
export function patchable(kind: PatchKind): Patchable {
  const found = patchables().find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} is rendered`);
  return found;
}
