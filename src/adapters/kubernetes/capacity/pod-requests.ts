import {
  type Amounts,
  at,
  type Fields,
  GPU,
  isFields,
  mostAmounts,
  NO_AMOUNTS,
  plusAmounts,
  quantityNumber,
  records,
} from '../../../kernel/index.ts';

/** Kubernetes' names and quantities in our words; what is not there is nothing. */
export function amountsOf(quantities: unknown): Amounts {
  return {
    cpuMillis: quantityNumber(at(quantities, 'cpu') ?? 0, 'm'),
    memoryBytes: quantityNumber(at(quantities, 'memory') ?? 0),
    gpus: quantityNumber(at(quantities, GPU) ?? 0),
  };
}

function requestOf(container: Fields): Amounts {
  return amountsOf(at(container, 'resources', 'requests'));
}

/**
 * What the scheduler reserves for a pod: its containers and the sidecars (init containers that restart) together, or what one init container
 * needs beside the sidecars started before it, whichever is more; what the pod says as a whole instead, where it does; and its overhead.
 * Source: facts 11.3; Kubernetes' "Resource sharing within containers" of sidecars.
 */
export function podRequests(spec: unknown): Amounts {
  let sidecars = NO_AMOUNTS;
  let starting = NO_AMOUNTS;
  for (const container of records(at(spec, 'initContainers'))) {
    const own = requestOf(container);
    if (container.restartPolicy === 'Always') sidecars = plusAmounts(sidecars, own);
    starting = mostAmounts(starting, container.restartPolicy === 'Always' ? sidecars : plusAmounts(sidecars, own));
  }
  const running = records(at(spec, 'containers')).map(requestOf).reduce(plusAmounts, sidecars);
  return plusAmounts(
    withPodLevel(mostAmounts(running, starting), at(spec, 'resources', 'requests')),
    amountsOf(at(spec, 'overhead')),
  );
}

function withPodLevel(sum: Amounts, pod: unknown): Amounts {
  if (!isFields(pod)) return sum;
  const whole = amountsOf(pod);
  return {
    cpuMillis: Object.hasOwn(pod, 'cpu') ? whole.cpuMillis : sum.cpuMillis,
    memoryBytes: Object.hasOwn(pod, 'memory') ? whole.memoryBytes : sum.memoryBytes,
    gpus: sum.gpus,
  };
}

/** The requests of pods by node and namespace, added up page by page, so that no list of pods is kept. */
export class PlacedSum {
  readonly #sums = new Map<string, { readonly node: string; readonly namespace: string; amounts: Amounts }>();

  add(pod: { readonly metadata: { readonly namespace?: string }; readonly spec?: unknown }): void {
    const node = at(pod.spec, 'nodeName');
    if (typeof node !== 'string' || node === '') return;
    const { namespace = '' } = pod.metadata;
    const key = `${node}/${namespace}`;
    const known = this.#sums.get(key);
    const amounts = podRequests(pod.spec);
    if (known === undefined) this.#sums.set(key, { node, namespace, amounts });
    else known.amounts = plusAmounts(known.amounts, amounts);
  }

  all(): readonly { readonly node: string; readonly namespace: string; readonly amounts: Amounts }[] {
    return [...this.#sums.values()];
  }
}
