import { fail, MANAGED_BY, type Manifest, ok, problem, type Result } from '../../../kernel/index.ts';
import { type Cluster, type IdentityStore, InstallationIdentity } from '../../../ports/index.ts';

const DATA_KEY = 'identity.json';
const LABELS = { 'app.kubernetes.io/name': 'hakopod', ...MANAGED_BY } as const;
const NAMESPACE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SECRET_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

export type IdentityStoreOptions = {
  /** Its calls end by themselves; the store sets no time of its own. */
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
};

/**
 * The identity of an installation in one Opaque Secret (cluster operations 15). `invalid_config` when the namespace is no label or the name no
 * subdomain. Nothing is read before `load`; a store that saves without it may only create.
 */
export function createIdentityStore({ cluster, namespace, name }: IdentityStoreOptions): Result<IdentityStore> {
  if (!NAMESPACE_NAME.test(namespace))
    return fail(problem('invalid_config', 'the namespace of the identity is not a valid name'));
  if (!SECRET_NAME.test(name)) return fail(problem('invalid_config', 'the Secret of the identity has no valid name'));
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  let seen: Manifest | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  const read = async (): Promise<Result<void>> => {
    const secret = await cluster.get(ref);
    if (!secret.ok) return secret;
    seen = secret.value;
    return ok(undefined);
  };
  const write = async (identity: InstallationIdentity): Promise<Result<void>> => {
    const data = { [DATA_KEY]: Buffer.from(JSON.stringify(identity), 'utf8').toString('base64') };
    const base = { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', data } as const;
    const written =
      seen === undefined
        ? await cluster.create({ ...base, metadata: { name, namespace, labels: LABELS } })
        : await cluster.replace({ ...seen, ...base });
    if (!written.ok) return written;
    seen = written.value;
    return ok(undefined);
  };

  return ok({
    load: () =>
      inTurn(async () => {
        const done = await read();
        if (!done.ok) return done;
        return seen === undefined ? ok(undefined) : decode(seen);
      }),
    save: (identity) =>
      inTurn(async () => {
        for (let attempt = 1; ; attempt += 1) {
          if (isAnothers(seen, identity)) return fail(problem('identity_conflict'));
          const written = await write(identity);
          if (written.ok || !RACES.has(written.problem.code)) return written;
          if (attempt === 2) return fail(problem('identity_conflict'));
          const again = await read();
          if (!again.ok) return again;
        }
      }),
  });
}

/** Both are 409: changed since, and made since. */
const RACES: ReadonlySet<string> = new Set(['conflict', 'already_exists']);

/** Another installation's, or one this very installation has left behind. What can not be read belongs to nobody. */
function isAnothers(secret: Manifest | undefined, mine: InstallationIdentity): boolean {
  if (secret === undefined) return false;
  const theirs = decode(secret);
  if (!theirs.ok) return false;
  return theirs.value.installation !== mine.installation || theirs.value.generation > mine.generation;
}

/** The message never quotes the content: it holds the private key. */
function decode(secret: Manifest): Result<InstallationIdentity> {
  const data = (secret.data ?? {}) as Readonly<Record<string, unknown>>;
  const encoded = Object.hasOwn(data, DATA_KEY) ? data[DATA_KEY] : undefined;
  const parsed = InstallationIdentity.safeParse(
    parseJson(typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : ''),
  );
  return parsed.success
    ? ok(parsed.data)
    : fail(problem('invalid_secret', `the Secret of the identity holds none under ${DATA_KEY}`));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
