import { canonicalJson, type Json } from '../../kernel/index.ts';
import { type Fields, own } from '../json.ts';
import { containers } from './container.ts';
import { asList, asMap, isNothing, isText, sameMeaning } from './json.ts';
import { addedKeys } from './keys.ts';
import {
  ALLOWED,
  allowedIf,
  type ListRule,
  type ObjectRule,
  object,
  onlyFields,
  type ProtectedChange,
  protectedField,
  type Rule,
} from './rule.ts';

const TOLERATIONS: ListRule = {
  kind: 'list',
  condition: "added, each with a taint key without hakopod; Hakopod's own stay",
  identify: (item) => canonicalJson(item),
  repeats: true,
  keeps: () => true,
  why: "Hakopod's own tolerations stay; a patch replaces the whole list, so repeat them in it",
  item: object(
    {
      ...onlyFields(['operator', 'value', 'effect', 'tolerationSeconds']).fields,
      key: allowedIf('not empty and without hakopod'),
    },
    {
      check: ({ path, after }): readonly ProtectedChange[] => {
        const key = own(asMap(after) ?? {}, 'key');
        const field = `${path}.key`;
        if (!isText(key)) return [{ field, rule: 'an added toleration must name a taint key' }];
        return key.toLowerCase().includes('hakopod')
          ? [{ field, rule: 'an added toleration can not tolerate a taint whose key contains hakopod' }]
          : [];
      },
    },
  ),
};

const AFFINITY: Rule = {
  kind: 'value',
  condition: 'only when Hakopod sets none',
  check: ({ path, before, after }) =>
    isNothing(before) || sameMeaning(before, after) ? [] : [{ field: path, rule: "Hakopod's own affinity stays" }],
};

const PRIORITY_CLASS: Rule = {
  kind: 'value',
  condition: 'not one that starts with system-',
  check: ({ path, after }) =>
    typeof after === 'string' && after.trim().toLowerCase().startsWith('system-')
      ? [{ field: path, rule: 'priority classes of the system are refused' }]
      : [],
};

const NO_SOURCE = 'a patch adds only volumes of exactly one source, emptyDir or downwardAPI';

const VOLUMES: ListRule = {
  kind: 'list',
  condition: "new emptyDir and downwardAPI volumes; Hakopod's stay",
  identify: (item) => (isText(own(item, 'name')) ? String(item.name) : undefined),
  nameOf: (item) => own(item, 'name'),
  keeps: () => true,
  why: "Hakopod's volumes stay as generated",
  // An empty source is a source.
  unchanged: (before, after) => sameKeys(before, after) && sameMeaning(before, after),
  item: object(
    {
      name: ALLOWED,
      emptyDir: onlyFields(['medium', 'sizeLimit']),
      downwardAPI: onlyFields(['items', 'defaultMode']),
    },
    {
      condition: 'exactly one source, emptyDir or downwardAPI',
      others: protectedField(NO_SOURCE),
      check: ({ path, after }) => {
        const keys = Object.keys(asMap(after) ?? {}).filter((key) => key !== 'name');
        const known = keys.length === 1 && ['emptyDir', 'downwardAPI'].includes(keys[0] ?? '');
        return known ? [] : [{ field: path, rule: NO_SOURCE }];
      },
    },
  ),
};

function sameKeys(a: Fields, b: Fields): boolean {
  return Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => Object.hasOwn(b, key));
}

function volumeNames(pod: Json | undefined): readonly string[] {
  const volumes = asList(own(asMap(pod) ?? {}, 'volumes')) ?? [];
  return volumes.flatMap((volume) => {
    const name = own(asMap(volume) ?? {}, 'name');
    return isText(name) ? [name] : [];
  });
}

/** Names of the volumes that the pod has after the patch and not before. */
export function addedVolumes(before: Json | undefined, after: Json | undefined): ReadonlySet<string> {
  const generated = new Set(volumeNames(before));
  return new Set(volumeNames(after).filter((name) => !generated.has(name)));
}

/** The pod of a Deployment to which the patch adds the volumes of these names. */
export function podSpec(added: ReadonlySet<string>): ObjectRule {
  return object({
    tolerations: TOLERATIONS,
    nodeSelector: addedKeys("keys added; Hakopod's own stay", () => undefined),
    affinity: AFFINITY,
    topologySpreadConstraints: ALLOWED,
    priorityClassName: PRIORITY_CLASS,
    terminationGracePeriodSeconds: ALLOWED,
    dnsPolicy: ALLOWED,
    dnsConfig: ALLOWED,
    hostAliases: ALLOWED,
    enableServiceLinks: ALLOWED,
    readinessGates: ALLOWED,
    volumes: VOLUMES,
    containers: containers(added),
    initContainers: containers(added),
    nodeName: protectedField('use node_name in TOML'),
  });
}
