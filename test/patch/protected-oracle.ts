import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../src/kernel/index.ts';
import type { PatchKind } from '../../src/patch/types.ts';
import type { Loose } from './protect-fixture.ts';

/*
 * The page's rules once more and the other way round: everything that may change is taken out of both objects, and what is left has to be
 * equal; then what was added is looked at. Shares nothing with the rules in `src/patch`.
 */

/** What of an object changed that may not, in words; empty when nothing did. */
export function violations(kind: PatchKind, before: Json, after: Json): readonly string[] {
  const added: string[] = [];
  const [was, is] = [copy(before), copy(after)];
  const say = (bad: boolean, what: string): void => void (bad && added.push(what));
  if (kind === 'deployment') addedToDeployment(was, is, say);
  if (kind === 'service') addedToService(was, is, say);
  if (kind === 'ingress') addedToIngress(was, is, say);
  const forget = { deployment: forgetDeployment, service: forgetService, ingress: forgetIngress }[kind];
  say(!isDeepStrictEqual(prune(forget(copy(before), before)), prune(forget(copy(after), before))), 'a protected part');
  return added;
}

type Say = (bad: boolean, what: string) => void;

function copy(value: Json): Loose {
  return JSON.parse(JSON.stringify(value));
}

/** Without nulls and what is empty, which is how both mean nothing. */
function prune(value: Loose): Loose {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => prune(item) ?? {});
  if (value === null || typeof value !== 'object') return value ?? undefined;
  const kept = Object.entries(value).flatMap(([key, item]) => (prune(item) === undefined ? [] : [[key, prune(item)]]));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function only(map: Loose, keys: readonly string[]): Loose {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => keys.includes(key)));
}

const byText = (a: Loose, b: Loose): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** The elements of a list whose key is that of one before, in no order. */
function ours(list: Loose, before: Loose, key: string): Loose {
  const names = (before ?? []).map((item: Loose) => item[key]);
  return (list ?? []).filter((item: Loose) => names.includes(item?.[key])).sort(byText);
}

function forgetKeys(holder: Loose, before: Loose): void {
  for (const map of ['labels', 'annotations']) {
    holder.metadata ??= {};
    holder.metadata[map] = only(holder.metadata[map], Object.keys(before.metadata?.[map] ?? {}));
  }
}

const POD_FREE =
  'topologySpreadConstraints priorityClassName terminationGracePeriodSeconds dnsPolicy dnsConfig hostAliases enableServiceLinks readinessGates';
const CONTAINER_FREE =
  'livenessProbe readinessProbe startupProbe lifecycle ports terminationMessagePath terminationMessagePolicy';

function forgetDeployment(object: Loose, before: Loose): Loose {
  forgetKeys(object, before);
  const [template, templateBefore] = [object.spec?.template, before.spec.template];
  if (template === undefined) return object;
  forgetKeys(template, templateBefore);
  const [pod, podBefore] = [template.spec, templateBefore.spec];
  if (pod === undefined) return object;
  for (const field of POD_FREE.split(' ')) delete pod[field];
  if (prune(podBefore.affinity) === undefined) delete pod.affinity;
  pod.nodeSelector = only(pod.nodeSelector, Object.keys(podBefore.nodeSelector ?? {}));
  const kept = (podBefore.tolerations ?? []).map((item: Loose) => JSON.stringify(sortKeys(item)));
  const mine = (pod.tolerations ?? []).map((item: Loose) => JSON.stringify(sortKeys(item)));
  pod.tolerations = kept.filter((item: string) => mine.includes(item));
  pod.volumes = ours(pod.volumes, podBefore.volumes, 'name').map((volume: Loose) => {
    return [volume, Object.keys(volume).sort().join()];
  });
  pod.volumes.sort(byText);
  for (const list of ['containers', 'initContainers']) {
    for (const container of pod[list] ?? []) {
      const same = podBefore[list].find((other: Loose) => other.name === container.name) ?? {};
      forgetContainer(container, same);
    }
  }
  return object;
}

function sortKeys(value: Loose): Loose {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function forgetContainer(container: Loose, before: Loose): void {
  for (const field of CONTAINER_FREE.split(' ')) delete container[field];
  for (const list of ['requests', 'limits']) {
    for (const name of ['cpu', 'memory', 'ephemeral-storage']) delete container.resources?.[list]?.[name];
    const amounts = container.resources?.[list];
    // A number and its digits are the same quantity.
    for (const name of Object.keys(amounts ?? {})) if (amounts[name] !== null) amounts[name] = String(amounts[name]);
  }
  const sourced = (before.env ?? []).filter((item: Loose) => item.valueFrom !== undefined);
  container.env = ours(container.env, sourced, 'name').map(sortKeys).sort(byText);
  container.volumeMounts = ours(container.volumeMounts, before.volumeMounts, 'mountPath').map(sortKeys).sort(byText);
}

function forgetService(object: Loose, before: Loose): Loose {
  forgetKeys(object, before);
  const free =
    'sessionAffinity sessionAffinityConfig publishNotReadyAddresses internalTrafficPolicy trafficDistribution';
  for (const field of free.split(' ')) delete object.spec?.[field];
  if (object.spec !== undefined) {
    const ports = (object.spec.ports ?? []).map(sortKeys);
    const texts = before.spec.ports.map((port: Loose) => JSON.stringify(sortKeys(port)));
    object.spec.ports = ports
      .map((port: Loose) => JSON.stringify(port))
      .filter((port: string) => texts.includes(port))
      .sort();
  }
  return object;
}

function forgetIngress(object: Loose, before: Loose): Loose {
  const keys = Object.keys(before.metadata.annotations);
  object.metadata ??= {};
  object.metadata.annotations = only(object.metadata.annotations, keys);
  for (const key of keys) {
    if (!key.startsWith('haproxy.org/')) continue;
    object.metadata.annotations[key] = object.metadata.annotations[key] === undefined ? 'gone' : 'there';
  }
  return object;
}

function newKeys(map: Loose, before: Loose): readonly string[] {
  return Object.keys(map ?? {}).filter((key) => before?.[key] === undefined && map[key] !== null);
}

const RECOMMENDED = /^app\.kubernetes\.io\/(name|instance|version|component|part-of)$/;

function addedKeys(place: Loose, before: Loose, say: Say): void {
  for (const map of ['labels', 'annotations']) {
    for (const key of newKeys(place?.metadata?.[map], before.metadata?.[map])) {
      if (map === 'labels' && RECOMMENDED.test(key)) continue;
      say(/hakopod/i.test(key) || /^([^/]*\.)?(kubernetes|k8s)\.io\//i.test(key), `${map}: ${key}`);
    }
  }
}

function repeated(list: Loose, identity: (item: Loose) => unknown): boolean {
  const all = (list ?? []).map(identity);
  return new Set(all).size < all.length || all.includes(undefined);
}

function addedToDeployment(before: Loose, after: Loose, say: Say): void {
  addedKeys(after, before, say);
  const [template, templateBefore] = [after.spec?.template, before.spec.template];
  addedKeys(template, templateBefore, say);
  say(/acme\.cert-manager/.test(JSON.stringify(template?.metadata?.labels ?? {})), 'a label of the solver');
  const [pod, podBefore] = [template?.spec ?? {}, templateBefore.spec];
  say(/^system-/.test(pod.priorityClassName ?? ''), 'a priority class of the system');
  const had = (podBefore.tolerations ?? []).map((item: Loose) => JSON.stringify(sortKeys(item)));
  for (const toleration of pod.tolerations ?? []) {
    if (had.includes(JSON.stringify(sortKeys(toleration)))) continue;
    say(typeof toleration.key !== 'string' || toleration.key === '' || /hakopod/i.test(toleration.key), 'a toleration');
  }
  const volumesBefore = (podBefore.volumes ?? []).map((volume: Loose) => volume.name);
  const fresh = (pod.volumes ?? []).filter((volume: Loose) => !volumesBefore.includes(volume.name));
  for (const volume of fresh) {
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    say(sources.length !== 1 || !/^(emptyDir|downwardAPI)$/.test(sources[0]!), `the volume ${volume.name}`);
  }
  say(
    repeated(pod.volumes, (volume) => volume.name || undefined),
    'a volume twice',
  );
  const names = fresh.map((volume: Loose) => volume.name);
  for (const list of ['containers', 'initContainers']) {
    for (const container of pod[list] ?? []) {
      const same = (podBefore[list] ?? []).find((other: Loose) => other.name === container.name) ?? {};
      addedToContainer(container, { before: same, names }, say);
    }
  }
}

function addedToContainer(container: Loose, { before, names }: { before: Loose; names: string[] }, say: Say): void {
  const hooks = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'].map((field) => container[field]);
  say(/"host":/.test(JSON.stringify(hooks)), 'a host');
  say(/"host(Port|IP)":/.test(JSON.stringify(container.ports ?? [])), 'a port of the node');
  say(
    repeated(container.ports, (port) => port.containerPort && `${port.containerPort}${port.protocol ?? 'TCP'}`),
    'a port twice',
  );
  say(
    repeated(container.env, (item) => item.name || undefined),
    'a variable twice',
  );
  const env = before.env ?? [];
  for (const item of container.env ?? []) {
    const was = env.find((other: Loose) => other.name === item.name);
    if (was?.valueFrom !== undefined) continue;
    const sources = Object.keys(item.valueFrom ?? {}).join();
    say(
      !/^(|fieldRef|resourceFieldRef|fieldRef,resourceFieldRef|resourceFieldRef,fieldRef)$/.test(sources),
      'a source',
    );
  }
  const paths = (before.volumeMounts ?? []).map((mount: Loose) => mount.mountPath);
  say(
    repeated(container.volumeMounts, (mount) => mount.mountPath && slashed(mount.mountPath)),
    'a mount twice',
  );
  for (const mount of container.volumeMounts ?? []) {
    if (paths.includes(mount.mountPath)) continue;
    say(!names.includes(mount.name), `a mount of ${mount.name}`);
    say(isHiding(mount.mountPath, paths), `a mount at ${mount.mountPath}`);
  }
  const message = container.terminationMessagePath;
  say(typeof message === 'string' && message !== '' && isHiding(message, paths), 'a message');
}

/** As a URL parser reads a path, with a slash at the end. */
function slashed(path: string): string {
  return `${new URL(`file:///${path.replaceAll(/[%?#\\]/g, '_')}/`).pathname.replaceAll(/\/+/g, '/')}`;
}

function isHiding(path: string, paths: readonly string[]): boolean {
  const place = slashed(path);
  const under = [...paths.map(slashed), '/var/run/secrets/', '/run/secrets/'].some((other) => place.startsWith(other));
  return place === '/' || under || paths.some((other) => slashed(other).startsWith(place));
}

const DENIED =
  /(^|\/)(.*-snippet|cr-.*|auth-(type|secret|realm)|server-(ca|crt)|client-ca|client-crt-optional|ssl-(certificate|passthrough)|src-ip-header|route-acl|path-rewrite|set-host|standalone-backend|ingress\.class)$/i;

function addedToService(before: Loose, after: Loose, say: Say): void {
  addedKeys(after, before, say);
  for (const key of newKeys(after.metadata?.annotations, before.metadata.annotations)) say(DENIED.test(key), key);
  const known = before.spec.ports.map((port: Loose) => JSON.stringify(sortKeys(port)));
  const fresh = (after.spec?.ports ?? []).filter((port: Loose) => !known.includes(JSON.stringify(sortKeys(port))));
  say(/"nodePort":/.test(JSON.stringify(fresh)), 'a port of the node');
  say(
    repeated(after.spec?.ports, (port) => port.port && `${port.port}${port.protocol ?? 'TCP'}`),
    'a port twice',
  );
}

function addedToIngress(before: Loose, after: Loose, say: Say): void {
  const was = before.metadata.annotations;
  for (const [key, value] of Object.entries(after.metadata?.annotations ?? {})) {
    if (was[key] === value) continue;
    say(!key.startsWith('haproxy.org/') || DENIED.test(key) || (was[key] === undefined && /hakopod/i.test(key)), key);
  }
}
