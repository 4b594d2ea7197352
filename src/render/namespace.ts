import { type Manifest, sha256 } from '../kernel/index.ts';
import type { RenderInput } from './input.ts';
import { LABELS, operationAnnotation, ownershipLabels } from './labels.ts';
import { namespaceName } from './names.ts';

/** The application's namespace, held to the Pod Security standard `restricted` (facts 3.1). */
export function renderNamespace(input: RenderInput): Manifest {
  const { id, key, options } = input;
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespaceName(id),
      labels: {
        ...ownershipLabels(id),
        [LABELS.scope]: sha256(`${key.project}/${key.environment}`).slice(0, 32),
        'pod-security.kubernetes.io/enforce': 'restricted',
        'pod-security.kubernetes.io/enforce-version': options.podSecurityVersion,
        'pod-security.kubernetes.io/warn': 'restricted',
      },
      annotations: operationAnnotation(input),
    },
  };
}
