import { spawnSync } from 'node:child_process';
import { buildahAvailable } from '../adapters/buildah/index.ts';
import { connectRedis, redisAvailable } from '../adapters/redis/index.ts';
import { customResourceDefinitions } from '../adapters/store/index.ts';
import type { Finding } from '../cli/index.ts';
import { type Config, loadConfig, plainEnvironment } from '../config.ts';
import { describe } from '../kernel/index.ts';
import { publicAddress } from './doctor-address.ts';
import { repositories } from './doctor-git.ts';
import { rights } from './doctor-rights.ts';
import { type Foundation, layFoundation } from './foundation.ts';

/** Checks what an installation needs, each with what to do about it. */
export async function examine(flags: Readonly<Record<string, unknown>>): Promise<readonly Finding[]> {
  const config = loadConfig({ logLevel: 'silent', ...flags });
  if (!config.ok) return [{ what: 'configuration', ok: false, detail: describe(config.problem) }];
  const findings: Finding[] = [
    { what: 'configuration', ok: true, detail: 'valid' },
    { what: 'node', ok: true, detail: process.versions.node },
    git(),
    await redis(config.value),
    ...(await builds(config.value)),
    ...settings(config.value),
    await publicAddress(config.value),
  ];
  const foundation = layFoundation(config.value);
  if (!foundation.ok)
    return [
      ...findings,
      { what: 'cluster', ok: false, detail: `${describe(foundation.problem)}; set HAKOPOD_KUBECONFIG` },
    ];
  try {
    return [...findings, ...(await cluster(foundation.value))];
  } finally {
    await foundation.value.connection.close();
  }
}

function git(): Finding {
  const run = spawnSync('git', ['--version'], { env: plainEnvironment(), encoding: 'utf8', timeout: 5000 });
  const isThere = run.status === 0;
  return {
    what: 'git',
    ok: isThere,
    detail: isThere ? run.stdout.trim() : 'not found; the demo and image builds need it',
  };
}

async function redis(config: Config): Promise<Finding> {
  if (config.redisUrl === undefined) {
    const detail = `no HAKOPOD_REDIS_URL: serve needs one${redisAvailable() ? '; the demo starts its own' : '; install redis-server for the demo'}`;
    return { what: 'redis', ok: false, detail };
  }
  const handle = connectRedis(config.redisUrl, { prefix: config.queuePrefix });
  const ready = await handle.waitUntilReady(2000);
  const answers = ready.ok ? await handle.ping() : ready;
  await handle.close();
  return { what: 'redis', ok: answers.ok, detail: answers.ok ? 'answers' : 'does not answer; check HAKOPOD_REDIS_URL' };
}

/** Only who configured a registry wants to build. */
async function builds(config: Config): Promise<readonly Finding[]> {
  if (config.buildRegistry === undefined) return [];
  const confinement = await buildahAvailable();
  const how = confinement?.userNamespace === true ? 'in a user namespace' : 'as root';
  const missing =
    'not found, or namespaces are not permitted; install buildah and util-linux, and run as root or with subordinate ids (/etc/subuid)';
  return [{ what: 'buildah', ok: confinement !== undefined, detail: confinement === undefined ? missing : how }];
}

function settings(config: Config): readonly Finding[] {
  return [
    {
      what: 'application domain',
      ok: config.appDomain !== undefined,
      detail: config.appDomain ?? 'HAKOPOD_APP_DOMAIN is not set; public services are refused',
    },
  ];
}

async function cluster(foundation: Foundation): Promise<readonly Finding[]> {
  const { config } = foundation;
  const namespace = await foundation.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: config.namespace });
  if (!namespace.ok) return [{ what: 'cluster', ok: false, detail: describe(namespace.problem) }];
  const findings: Finding[] = [
    { what: 'cluster', ok: true, detail: 'answers' },
    {
      what: 'control namespace',
      ok: namespace.value !== undefined,
      detail:
        namespace.value === undefined
          ? `${config.namespace} does not exist; create it, or set HAKOPOD_NAMESPACE`
          : config.namespace,
    },
  ];
  const known = await foundation.cluster.list({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
  });
  if (!known.ok) return [...findings, { what: 'custom resources', ok: false, detail: describe(known.problem) }];
  const names = new Set(known.value.map((crd) => crd.metadata.name));
  const missing = customResourceDefinitions().filter((crd) => !names.has(crd.metadata.name));
  const detail =
    missing.length === 0
      ? 'installed'
      : `missing ${missing.map((crd) => crd.metadata.name).join(', ')}; kubectl apply -f charts/hakopod/crds`;
  const crds: Finding = { what: 'custom resources', ok: missing.length === 0, detail };
  const asked = await rights(foundation.cluster, config.namespace);
  return [...findings, crds, ...asked, ...(crds.ok ? await repositories(foundation) : [])];
}
