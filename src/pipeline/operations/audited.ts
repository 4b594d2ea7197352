import type { Principal } from '../../access/index.ts';
import { digestOf } from '../../kernel/index.ts';
import type { RequestInfo } from '../../ports/api/index.ts';
import type { AuditEvent, AuditLog, Clock } from '../../ports/index.ts';

/** A change as an operation tells of it; `before` and `after` are digested here, and may hold no secret even so. */
export type Change = {
  readonly action: string;
  readonly resource: AuditEvent['resource'];
  readonly before?: unknown;
  readonly after?: unknown;
};

/** Puts a change on record: who, with which key, how it came in, and the digests of what was there and what is now. */
export function audited(
  deps: { readonly audit: AuditLog; readonly clock: Clock },
  by: { readonly principal: Principal; readonly info: RequestInfo },
  change: Change,
): Promise<void> {
  const { principal, info } = by;
  const { action, resource, before, after } = change;
  return deps.audit.append({
    time: deps.clock.now().toISOString(),
    identity: principal.identity,
    ...(principal.key === undefined ? {} : { key: principal.key.id }),
    origin: info.origin,
    action,
    resource,
    ...(before === undefined ? {} : { before: digestOf(before) }),
    ...(after === undefined ? {} : { after: digestOf(after) }),
    requestId: info.id,
  });
}
