import type { Json } from '../kernel/index.ts';
import type { Application, Service } from '../spec/index.ts';

type Rule<T> = {
  /** What a service that does not exist yet is compared with. */
  readonly zero: Json;
  /** Marked in the change, because its values or names deserve care. */
  readonly sensitive: boolean;
  /** Replaces what may not enter a plan. */
  readonly withhold?: (value: T) => Json;
};

const REDACTED = '[redacted]';

function plain<T>(zero: Json): Rule<T> {
  return { zero, sensitive: false };
}

function redactValues(map: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.keys(map).map((key) => [key, REDACTED]));
}

/** Facts 2.12, in its order. A field added to `Service` and not to this table does not compile. */
export const SERVICE_FIELDS: { readonly [F in keyof Service]-?: Rule<NonNullable<Service[F]>> } = {
  image: plain(null),
  build: plain(null),
  job: plain(null),
  port: plain(0),
  ports: plain([]),
  public: plain(false),
  size: plain(''),
  resources: plain(null),
  replicas: plain(0),
  healthcheck: plain(''),
  env: { zero: {}, sensitive: true, withhold: redactValues },
  command: plain([]),
  args: plain([]),
  depends_on: plain([]),
  networks: plain([]),
  // references only: a secret's value is in no specification
  secrets: { zero: {}, sensitive: true },
  startup_timeout_seconds: plain(null),
  kubernetes: plain(null),
};

/** The application's own fields but `services`; `schema_version` has one value. */
export const APPLICATION_FIELDS: {
  readonly [F in Exclude<keyof Application, 'services' | 'schema_version'>]: Rule<Application[F]>;
} = {
  name: plain(''),
  networks: plain({}),
  domains: plain({}),
};
