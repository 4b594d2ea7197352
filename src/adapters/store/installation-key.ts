import { fail, MANAGED_BY, ok, problem, type Result } from '../../kernel/index.ts';
import type { Cluster, Random } from '../../ports/index.ts';

const NAME = 'hakopod-installation';
const KEY = 'snapshot-key';

/**
 * The installation's own random key, made on first use and kept in a Secret of the control namespace; the same for every process. Whoever
 * creates it first wins, the others read it.
 */
export async function installationKey(options: {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly random: Random;
}): Promise<Result<string>> {
  const { cluster, namespace, random } = options;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: NAME };
  const read = async (): Promise<Result<string | undefined>> => {
    const secret = await cluster.get(ref);
    if (!secret.ok) return secret;
    const data = secret.value?.data as Readonly<Record<string, string>> | undefined;
    return ok(data?.[KEY] === undefined ? undefined : Buffer.from(data[KEY], 'base64').toString('utf8'));
  };
  const known = await read();
  if (!known.ok) return known;
  if (known.value !== undefined) return ok(known.value);
  const data = { [KEY]: Buffer.from(random.hex(32), 'utf8').toString('base64') };
  const labels = MANAGED_BY;
  const created = await cluster.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: NAME, namespace, labels },
    type: 'Opaque',
    data,
  });
  if (!created.ok && created.problem.code !== 'already_exists') return created;
  const now = await read();
  if (!now.ok) return now;
  return now.value === undefined
    ? fail(problem('conflict', 'the installation key can not be read back'))
    : ok(now.value);
}
