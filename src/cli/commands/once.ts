import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Deployment } from '../../ports/api/index.ts';
import type { Answered } from '../client/api.ts';
import type { Flags, Session } from '../session.ts';
import { complete } from './missing-secrets.ts';
import type { Planned } from './planned.ts';

const TRIES = 3;
const PAUSE_MS = 500;

/** A request that makes a release. `key`: the idempotency key of an earlier try; a new one when absent. */
export type Wish = { readonly path: string; readonly body: unknown; readonly key?: string | undefined };

/**
 * Asks for a release. When the answer got lost, or was that of a server in trouble, the release may have been made: the same key asks again, so
 * that it is never made twice (facts 8.4).
 */
export async function askOnce(session: Session, { path, body, key }: Wish): Promise<Answered<Deployment>> {
  const idempotencyKey = key ?? randomUUID();
  for (let attempt = 1; ; attempt += 1) {
    const answer = await session.api.call({ method: 'POST', path, body, idempotencyKey, answer: Deployment });
    const isKnown = answer.ok || (answer.status !== undefined && answer.status < 500);
    if (isKnown) return answer;
    if (attempt === TRIES)
      return {
        ...answer,
        hint: `it may have been accepted all the same; --idempotency-key ${idempotencyKey} finds out`,
      };
    session.terminal.err(`no answer; asking again with the same key ${idempotencyKey}`);
    await sleep(PAUSE_MS);
  }
}

/** Asks for the release of a plan. */
export async function accept(session: Session, planned: Planned, flags: Flags): Promise<Answered<Deployment>> {
  const whole = await complete(session, planned);
  if (!whole.ok) return whole;
  const { plan, request } = planned;
  const { project, environment } = request;
  const service = request.service === undefined ? {} : { service: request.service };
  const { delete_service_volumes: volumes } = request;
  const cleanup = volumes === undefined ? {} : { delete_service_volumes: volumes };
  return askOnce(session, {
    path: '/deployments',
    body: { project, environment, spec: plan.spec, ...service, ...cleanup, expected_revision: plan.expected_revision },
    key: typeof flags.idempotencyKey === 'string' ? flags.idempotencyKey : undefined,
  });
}
