import type { Manifest } from '../../kernel/index.ts';
import { badRequest, invalid } from './errors.ts';
import type { Machine, Target, WriteOptions } from './machine.ts';
import { mergePatch } from './merge.ts';
import { at, type Fields, number, record, text, withMetadata } from './objects.ts';
import { update } from './write.ts';

/** The `autoscaling/v1` Scale of a Deployment or ReplicaSet. */
export function readScale(live: Manifest): Fields {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = live.metadata;
  const labels = Object.entries(record(at(live, 'spec', 'selector', 'matchLabels')));
  const replicas = number(at(live, 'spec', 'replicas'), 1);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: number(at(live, 'status', 'replicas'), 0),
      selector: labels.map(([key, value]) => `${key}=${value}`).join(','),
    },
  };
}

/** Sets the number of replicas through a Scale (PUT) or a merge patch of it. */
export function writeScale(
  machine: Machine,
  target: Target,
  request: {
    readonly live: Manifest;
    readonly body: unknown;
    readonly options: WriteOptions;
    readonly isPatch: boolean;
  },
): Manifest {
  const { live, body, options, isPatch } = request;
  const wanted = isPatch ? mergePatch(readScale(live), body) : body;
  const replicas = at(wanted, 'spec', 'replicas') ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas must be a whole number');
  if (replicas < 0) {
    const message = 'Invalid value: must be greater than or equal to 0';
    throw invalid(target.info, target.name, [{ reason: 'FieldValueInvalid', message, field: 'spec.replicas' }]);
  }
  const scaled = { ...live, spec: { ...record(live.spec), replicas } };
  const next = withMetadata(scaled, { resourceVersion: text(at(wanted, 'metadata', 'resourceVersion')) });
  return update(machine, target, { live, next, options });
}
