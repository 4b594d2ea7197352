import { at, record } from '../objects.ts';
import { builtIn } from '../resources.ts';
import type { Controller, ControllerContext } from './manager.ts';
import { living, writeStatus } from './owned.ts';

const CLAIMS = builtIn('persistentvolumeclaims');

function reconcile({ machine }: ControllerContext, uid: string): void {
  const claim = living(machine, CLAIMS, uid);
  if (claim === undefined || at(claim, 'status', 'phase') === 'Bound') return;
  const spec = { ...record(claim.spec), volumeName: `pvc-${uid}` };
  writeStatus(
    machine,
    CLAIMS,
    { ...claim, spec },
    {
      phase: 'Bound',
      accessModes: at(spec, 'accessModes'),
      capacity: at(spec, 'resources', 'requests'),
    },
  );
}

/** Binds every claim to a volume that does not exist. */
export const CLAIM_CONTROLLER: Controller = {
  name: 'claim',
  wakes: (change) => (change.info.storage === CLAIMS.storage ? [change.object.metadata.uid ?? ''] : []),
  reconcile,
};
