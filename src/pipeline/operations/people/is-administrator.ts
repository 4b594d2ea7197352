import { isUnscoped } from '../../../access/index.ts';
import type { Identity } from '../../../ports/index.ts';

/** Whether an identity administers the installation, as far as it is up to the identity: its keys narrow that. */
export function isAdministrator(spec: Identity['spec']): boolean {
  return spec.disabled !== true && spec.permissions.includes('admin') && isUnscoped(spec.scope);
}
