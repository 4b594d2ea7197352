import { posix } from 'node:path';
import type { Json } from '../../kernel/index.ts';
import { type Fields, own } from '../json.ts';
import { asList, asMap, isText } from './json.ts';
import {
  ALLOWED,
  allowedIf,
  type ListRule,
  object,
  onlyFields,
  type ProtectedChange,
  protectedField,
  type Rule,
} from './rule.ts';

const NO_HOST = protectedField('the kubelet would connect from the node; probes and hooks reach only the container');
const NO_SOURCE = protectedField('new variables can not read a Secret or ConfigMap; use secrets or bindings in TOML');

const HTTP_GET = object({ ...allowed('path', 'port', 'scheme', 'httpHeaders'), host: NO_HOST });
const TCP_SOCKET = object({ ...allowed('port'), host: NO_HOST });

function allowed(...names: readonly string[]): Record<string, Rule> {
  return Object.fromEntries(names.map((name) => [name, ALLOWED]));
}

const PROBE = object(
  {
    httpGet: HTTP_GET,
    tcpSocket: TCP_SOCKET,
    exec: onlyFields(['command']),
    grpc: onlyFields(['port', 'service']),
    ...allowed('initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'),
    terminationGracePeriodSeconds: ALLOWED,
  },
  { condition: 'without a host' },
);

const HOOK = object(
  { httpGet: HTTP_GET, tcpSocket: TCP_SOCKET, exec: onlyFields(['command']), sleep: onlyFields(['seconds']) },
  { condition: 'without a host' },
);

const ENV: ListRule = {
  kind: 'list',
  condition: 'variables Hakopod reads from a secret or binding stay; others read no Secret or ConfigMap',
  identify: (item) => (isText(own(item, 'name')) ? String(item.name) : undefined),
  nameOf: (item) => own(item, 'name'),
  // What Hakopod sets as plain text comes from `env` in TOML and is the user's already.
  keeps: (item) => own(item, 'valueFrom') !== undefined,
  why: 'variables that Hakopod reads from a secret or binding can not change',
  item: object({
    ...allowed('name', 'value'),
    valueFrom: object(
      { ...allowed('fieldRef', 'resourceFieldRef'), secretKeyRef: NO_SOURCE, configMapKeyRef: NO_SOURCE },
      { condition: 'fieldRef or resourceFieldRef', others: NO_SOURCE },
    ),
  }),
};

const AMOUNTS = object(allowed('cpu', 'memory', 'ephemeral-storage'), {
  condition: 'cpu, memory and ephemeral-storage',
  others: {
    kind: 'value',
    condition: 'as it is',
    check: ({ path, before, after }) => {
      // `1` and `"1"` are the same quantity.
      const same = before !== undefined && after !== undefined && String(before) === String(after);
      return same ? [] : [{ field: path, rule: 'only cpu, memory and ephemeral-storage can be patched' }];
    },
  },
});

const NO_HOST_PORT = protectedField('ports of the node are out of reach; use public or ports in TOML');

const PORTS: ListRule = {
  kind: 'list',
  condition: 'without hostPort and hostIP',
  identify: (item) => {
    const port = own(item, 'containerPort');
    return typeof port === 'number' ? `${port}/${String(own(item, 'protocol') ?? 'TCP')}` : undefined;
  },
  keeps: () => false,
  why: 'it stays as Hakopod generates it',
  item: object({ ...allowed('name', 'containerPort', 'protocol'), hostPort: NO_HOST_PORT, hostIP: NO_HOST_PORT }),
};

/** Where the files are that let a process act for somebody: tokens, Hakopod's helpers and credentials (facts 1.8). */
const SECRET_PLACES = ['/var/run/secrets', '/run/secrets'];

/** A path in a container as the kubelet reads it: absolute, without dots and double slashes. */
function containerPath(path: string): string {
  const clean = posix.normalize(`/${path}`);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(place === '/' ? '/' : `${place}/`);
}

/** Why nothing may be mounted here, given the mounts Hakopod generated, or `undefined`. */
function hides(path: Json | undefined, generated: Json | undefined): string | undefined {
  if (!isText(path)) return undefined;
  const place = containerPath(path);
  if (place === '/') return 'nothing may be mounted over the whole file system of the container';
  const mounts = (asList(generated) ?? []).flatMap((mount) => {
    const mountPath = own(asMap(mount) ?? {}, 'mountPath');
    return isText(mountPath) ? [containerPath(mountPath)] : [];
  });
  const hidden = mounts.some((mount) => isWithin(place, mount) || isWithin(mount, place));
  return hidden || SECRET_PLACES.some((secret) => isWithin(place, secret))
    ? 'it would hide what Hakopod mounts, or the place of credentials'
    : undefined;
}

/** The rule of `volumeMounts`, for a pod to which the patch adds the volumes of these names. */
function mounts(addedVolumes: ReadonlySet<string>): ListRule {
  return {
    kind: 'list',
    condition: "for volumes the patch adds, where they hide nothing of Hakopod's",
    identify: (item) => (isText(own(item, 'mountPath')) ? containerPath(String(item.mountPath)) : undefined),
    nameOf: (item) => own(item, 'mountPath'),
    keeps: () => true,
    why: "Hakopod's mounts stay as generated",
    item: object(
      {
        ...allowed('readOnly', 'recursiveReadOnly', 'subPath', 'subPathExpr', 'mountPropagation'),
        name: allowedIf('of a volume the patch adds'),
        mountPath: allowedIf("not at, above or below a mount of Hakopod's, nor where credentials are"),
      },
      {
        condition: 'of a volume the patch adds',
        check: ({ path, before, after, owner }): readonly ProtectedChange[] => {
          const mount = asMap(after) ?? {};
          const name = own(mount, 'name');
          if (before !== undefined) return [];
          if (typeof name !== 'string' || !addedVolumes.has(name)) {
            return [{ field: path, rule: 'only volumes that the patch adds can be mounted' }];
          }
          const rule = hides(own(mount, 'mountPath'), own(owner.before, 'volumeMounts'));
          return rule === undefined ? [] : [{ field: path, rule }];
        },
      },
    ),
  };
}

const MESSAGE_PATH: Rule = {
  kind: 'value',
  condition: "where it hides nothing of Hakopod's",
  check: ({ path, after, owner }) => {
    const rule = hides(after, own(owner.before, 'volumeMounts'));
    return rule === undefined ? [] : [{ field: path, rule }];
  },
};

function inToml(field: string): Rule {
  return protectedField(`use ${field} in TOML`);
}

/** The containers, or the init containers, of a pod to which the patch adds the volumes of these names. */
export function containers(addedVolumes: ReadonlySet<string>): ListRule {
  return {
    kind: 'list',
    condition: 'the same containers in the same order, each by the fields below',
    identify: (item: Fields) => (isText(own(item, 'name')) ? String(item.name) : undefined),
    nameOf: (item) => own(item, 'name'),
    keeps: () => false,
    why: 'containers can not be added, removed, renamed, repeated or reordered; the service container is named app',
    fixed: true,
    item: object({
      env: ENV,
      resources: object({ requests: AMOUNTS, limits: AMOUNTS }),
      livenessProbe: PROBE,
      readinessProbe: PROBE,
      startupProbe: PROBE,
      lifecycle: object({ postStart: HOOK, preStop: HOOK, stopSignal: ALLOWED }, { condition: 'without a host' }),
      ports: PORTS,
      volumeMounts: mounts(addedVolumes),
      terminationMessagePath: MESSAGE_PATH,
      terminationMessagePolicy: ALLOWED,
      image: protectedField('use image or build in TOML; the release resolves it to a digest'),
      command: inToml('command'),
      args: inToml('args'),
      workingDir: inToml('working_dir'),
      envFrom: protectedField('it could read every key of a Secret or ConfigMap; use env and secrets in TOML'),
    }),
  };
}
