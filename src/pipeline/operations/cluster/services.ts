import { ok } from '../../../kernel/index.ts';
import type { ClusterApiOperations } from '../../../ports/api/index.ts';
import { findApplication } from '../applications/find.ts';
import { audited } from '../audited.ts';
import type { ClusterDeps } from './context.ts';
import { type ChosenPod, choosePod } from './pods.ts';

type Named = 'mayGoOn' | 'logs' | 'execTarget' | 'exec';

/** Logs of a service and commands in its pods. Both are put on record before anything is read or run: they may show secrets. */
export function servicePodOperations(deps: ClusterDeps): Pick<ClusterApiOperations, Named> {
  return {
    mayGoOn: (principal, target) => {
      const found = findApplication(deps, principal, target);
      return found.ok ? ok(undefined) : found;
    },
    logs: async (principal, input, info) => {
      const chosen = await choosePod(deps, principal, { input, permission: 'logs:read' });
      if (!chosen.ok) return chosen;
      const { namespace, name, container } = chosen.value;
      await audited(deps, { principal, info }, { action: 'logs.read', resource: resourceOf(chosen.value) });
      const { follow, previous, timestamps, tail, since } = input;
      const pod = { namespace, name, container };
      const request = { pod, follow, previous, timestamps, tail, ...(since === undefined ? {} : { since }) };
      return ok({
        pod: name,
        container,
        follow,
        read: (sink, signal) => deps.operations.logs(request, sink, signal),
      });
    },
    execTarget: async (principal, input) => {
      const chosen = await choosePod(deps, principal, { input, permission: 'pods:exec' });
      return chosen.ok ? ok({ pod: chosen.value.name, container: chosen.value.container }) : chosen;
    },
    exec: async (principal, input, info) => {
      const chosen = await choosePod(deps, principal, { input, permission: 'pods:exec' });
      if (!chosen.ok) return chosen;
      const { namespace, name, container, uid } = chosen.value;
      await audited(deps, { principal, info }, { action: 'pod.exec', resource: resourceOf(chosen.value) });
      const opened = await deps.operations.openExec({
        pod: { namespace, name, container, uid },
        argv: [...input.argv],
      });
      return opened.ok ? ok({ pod: name, container, session: opened.value }) : opened;
    },
  };
}

function resourceOf({ application, name }: ChosenPod) {
  const { project, environment, name: app } = application.spec;
  return { kind: 'Pod', project, environment, application: app, name };
}
