import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { connect, type KubeConnection } from '../../src/adapters/kubernetes/index.ts';
import { DEPLOY_RULES, READ_RULES } from '../../src/adapters/kubernetes/manifest/rules.ts';
import type { Manifest, ObjectRef } from '../../src/kernel/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import type { ClusterUnderTest } from './kubernetes.ts';

/** A right taken away: a verb on a resource, such as `get pods/log`. */
export type Missing = { readonly verb: string; readonly resource: string };

export type Limited = { readonly connection: KubeConnection; readonly close: () => Promise<void> };

const RBAC = 'rbac.authorization.k8s.io';

/** A connection to a real cluster as an account with the enrolment manifest's rights everywhere, less the missing ones. */
export async function limitedAccount(
  admin: ClusterUnderTest,
  kubeconfig: string,
  missing: readonly Missing[],
): Promise<Limited> {
  const { cluster, namespace } = admin;
  const name = `limited-${randomBytes(4).toString('hex')}`;
  const rules = [...READ_RULES, ...DEPLOY_RULES].flatMap(({ group, resources, verbs }) =>
    resources.map((resource) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: verbs.filter((verb) => !missing.some((one) => one.verb === verb && one.resource === resource)),
    })),
  );
  const made: Manifest[] = [];
  const create = async (object: object, place: { readonly namespace?: string } = {}): Promise<void> => {
    made.push(must(await cluster.create({ ...object, metadata: { name, ...place } } as Manifest)));
  };
  await create({ apiVersion: 'v1', kind: 'ServiceAccount' }, { namespace });
  await create({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole' },
    rules: rules.filter(({ verbs }) => verbs.length > 0),
  });
  await create({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding' },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name }],
  });
  const token = await accountToken(admin.connection, { apiVersion: 'v1', kind: 'ServiceAccount', namespace, name });
  const config = parse(await readFile(kubeconfig, 'utf8')) as { users: { user: unknown }[] };
  const users = config.users.map((user) => ({ ...user, user: { token } }));
  const connection = must(connect({ kubeconfigText: JSON.stringify({ ...config, users }) }));
  return {
    connection,
    close: async () => {
      await connection.close();
      for (const { apiVersion, kind, metadata } of made) {
        const ref = {
          apiVersion,
          kind,
          name: metadata.name,
          ...(metadata.namespace === undefined ? {} : { namespace }),
        };
        must(await cluster.delete(ref, { uid: metadata.uid ?? '', propagation: 'Background' }));
      }
    },
  };
}

/** A token of a service account, for an hour. */
export async function accountToken(connection: KubeConnection, { namespace, name }: ObjectRef): Promise<string> {
  const answer = await connection.send({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    accept: 'application/json',
    contentType: 'application/json',
    userAgent: 'hakopod-test',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    signal: AbortSignal.timeout(10_000),
  });
  const body = Buffer.concat(await answer.body.toArray()).toString('utf8');
  return (JSON.parse(body) as { status: { token: string } }).status.token;
}
