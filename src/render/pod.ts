import type { Service } from '../spec/index.ts';
import { renderContainer } from './container.ts';
import type { RenderInput } from './input.ts';
import { ANNOTATIONS, podLabels } from './labels.ts';
import { pullSecretOf } from './pull-secret.ts';
import { renderScheduling } from './scheduling.ts';
import { podStorage } from './storage.ts';

/**
 * The pod template of a service or job. What a stranger could use to widen the pod (host namespaces, privilege, more containers,
 * volumes) is said explicitly, so that a forced server-side apply owns it (DESIGN 7).
 */
export function renderPodTemplate(
  input: RenderInput,
  name: string,
  options: { readonly service: Service; readonly restartPolicy: 'Always' | 'Never' },
): Record<string, unknown> {
  const { service, restartPolicy } = options;
  const { volumes, volumeMounts } = podStorage(input, name, service);
  const pullSecret = pullSecretOf(input, name);
  const annotations =
    service.restart_nonce === '' ? {} : { annotations: { [ANNOTATIONS.restartNonce]: service.restart_nonce } };
  return {
    metadata: { labels: podLabels(input, name), ...annotations },
    spec: {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      restartPolicy,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      serviceAccountName: 'default',
      terminationGracePeriodSeconds: service.termination_grace_seconds,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: service.run_as_user,
        runAsGroup: service.run_as_group,
        fsGroup: service.fs_group,
        fsGroupChangePolicy: 'OnRootMismatch',
        seccompProfile: { type: 'RuntimeDefault' },
        supplementalGroups: [],
        sysctls: [],
      },
      imagePullSecrets: pullSecret === undefined ? [] : [{ name: pullSecret }],
      ...renderScheduling(input, name, service),
      hostAliases: [],
      volumes,
      initContainers: [],
      containers: [renderContainer(input, name, { service, volumeMounts })],
    },
  };
}
