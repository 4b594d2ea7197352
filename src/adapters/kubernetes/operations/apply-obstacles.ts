import { at, type Fields, type Manifest, records, text } from '../../../kernel/index.ts';
import type { WorkloadConfiguration } from '../../../ports/cluster-operations/index.ts';

type List = 'containers' | 'initContainers';

/** The raw containers of a workload's template. */
export function rawContainers(live: Manifest, list: List): readonly Fields[] {
  return records(at(live, 'spec', 'template', 'spec', list));
}

export function containerNames(live: Manifest, list: List): ReadonlySet<string> {
  return new Set(rawContainers(live, list).flatMap((container) => text(container.name) ?? []));
}

/** Secret keys an object's variables refer to, as `<name>/<key>`, also of containers past the bounds of a read. */
export function carriedSecrets(live: Manifest): ReadonlySet<string> {
  const containers = [...rawContainers(live, 'containers'), ...rawContainers(live, 'initContainers')];
  const references = containers.flatMap((container) =>
    records(container.env).flatMap((entry) => {
      const reference = at(entry, 'valueFrom', 'secretKeyRef');
      const [name, key] = [text(at(reference, 'name')), text(at(reference, 'key'))];
      return name === undefined || key === undefined ? [] : [`${name}/${key}`];
    }),
  );
  return new Set(references);
}

/** Secret keys a configuration refers to. */
export function wantedSecrets(spec: WorkloadConfiguration): readonly string[] {
  return [...spec.containers, ...spec.initContainers].flatMap(({ env }) => env.flatMap((entry) => entry.secret ?? []));
}
