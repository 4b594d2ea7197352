import type { Finding, Path } from './path.ts';

/**
 * How a field of schema v1 that can not be run yet says "not set": by an empty text, the number 0, `false`, an empty list or an empty
 * table. `always`: its presence alone has a meaning. `ignored`: accepted, with a warning.
 */
type Unset = 'text' | 'number' | 'flag' | 'list' | 'table' | 'always' | 'ignored';

type Level = {
  readonly fields?: Readonly<Record<string, Unset>>;
  /** Levels below, by key; `*` stands for every key. */
  readonly below?: Readonly<Record<string, Level>>;
};

/** Fields of facts 1 that are known but not supported. To support one, delete its line and add it to the schema. */
export const UNSUPPORTED: Level = {
  fields: {
    volumes: 'table',
    env: 'table',
    secrets: 'table',
    inject_env: 'flag',
    recovery: 'always',
    env_file: 'always',
  },
  below: {
    networks: { below: { '*': { fields: { virtual_network: 'text', segment: 'text' } } } },
    services: {
      below: {
        '*': {
          fields: {
            public_tcp: 'list',
            backend_http2: 'flag',
            suspended: 'flag',
            autoscaling: 'always',
            serverless: 'always',
            readiness: 'always',
            update_strategy: 'text',
            bindings: 'table',
            network_access: 'always',
            private_egress: 'list',
            files: 'table',
            http: 'table',
            volume: 'always',
            mounts: 'list',
            temporary_mounts: 'list',
            certificate_mounts: 'list',
            gpu: 'always',
            architecture: 'text',
            node_name: 'text',
            run_as_user: 'number',
            run_as_group: 'number',
            fs_group: 'number',
            read_only_root_filesystem: 'flag',
            working_dir: 'text',
            termination_grace_seconds: 'number',
            restart_nonce: 'text',
            registry_credential: 'text',
            aws_identity: 'text',
            container_daemon: 'text',
            runtime_profile: 'text',
            tls: 'always',
            actions: 'always',
            session: 'always',
            env_file: 'always',
            database_client_profiles: 'ignored',
          },
          below: {
            job: { fields: { schedule: 'always', invocation: 'always' } },
            secrets: { below: { '*': { fields: { provider: 'text', path: 'text', key: 'text' } } } },
            build: { fields: { build_secrets: 'table', mode: 'text', preset: 'text', submodules: 'always' } },
          },
        },
      },
    },
  },
};

type Table = Readonly<Record<string, unknown>>;
type Stripped = {
  readonly value: unknown;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
};

/** Above this many entries a map is over every limit, and the schema says so without a look at the entries. */
const MANY = 100;

/**
 * Takes the fields of `UNSUPPORTED` out of a raw document: a finding for each that is set, nothing for one that is explicitly empty.
 * The input is left as it is; tables without such fields are shared with the output.
 */
export function stripUnsupported(value: unknown): Stripped {
  const found = { findings: [], warnings: [] };
  return { value: strip(value, UNSUPPORTED, { path: [], found }), ...found };
}

type Place = { readonly path: Path; readonly found: { readonly findings: Finding[]; readonly warnings: Finding[] } };

function strip(table: unknown, level: Level, { path, found }: Place): unknown {
  if (!isTable(table)) return table;
  const replaced = new Map<string, unknown>();
  for (const [field, unset] of Object.entries(level.fields ?? {})) {
    if (!Object.hasOwn(table, field)) continue;
    const here = [...path, field];
    if (unset === 'ignored') found.warnings.push({ path: here, message: 'is accepted but has no effect here' });
    else if (!isUnset(table[field], unset)) {
      found.findings.push({ path: here, message: MESSAGE, code: 'unsupported_feature' });
    }
    replaced.set(field, undefined);
  }
  for (const [key, below] of levelsBelow(table, level)) {
    const stripped = strip(table[key], below, { path: [...path, key], found });
    if (stripped !== table[key]) replaced.set(key, stripped);
  }
  return replaced.size === 0 ? table : withReplaced(table, replaced);
}

function levelsBelow(table: Table, { below = {} }: Level): readonly (readonly [string, Level])[] {
  const every = below['*'];
  if (every === undefined) return Object.entries(below).filter(([key]) => Object.hasOwn(table, key));
  const keys = Object.keys(table);
  return keys.length > MANY ? [] : keys.map((key) => [key, every]);
}

/** A copy with some values replaced, or left out where the replacement is `undefined`. */
function withReplaced(table: Table, replaced: ReadonlyMap<string, unknown>): Table {
  const entries = Object.entries(table).map(([key, value]) => [key, replaced.has(key) ? replaced.get(key) : value]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

const MESSAGE = 'is a valid field, but this installation can not run it yet';

/** Whether a value is a TOML table or JSON object. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isUnset(value: unknown, unset: Exclude<Unset, 'ignored'>): boolean {
  switch (unset) {
    case 'text':
      return value === '';
    case 'number':
      return value === 0;
    case 'flag':
      return value === false;
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'table':
      return isTable(value) && Object.keys(value).length === 0;
    case 'always':
      return false;
  }
}
