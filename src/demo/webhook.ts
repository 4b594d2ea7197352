import { createHmac } from 'node:crypto';

/** Where a forge would deliver, and how it signs. */
export type Hook = {
  readonly url: string;
  readonly secret: string;
  readonly repositoryId: number;
  readonly fullName: string;
};

/** Plays the forge's part after a push: one signed delivery. Answers the receiver's status. */
export function deliverPush(hook: Hook, push: { readonly commit: string; readonly delivery: string }): Promise<number> {
  return deliver(hook, {
    event: 'push',
    delivery: push.delivery,
    payload: {
      ref: 'refs/heads/main',
      after: push.commit,
      deleted: false,
      forced: false,
      repository: { id: hook.repositoryId, full_name: hook.fullName },
      head_commit: { id: push.commit },
    },
  });
}

/** The same after something happened to a pull request. */
export function deliverPullRequest(
  hook: Hook,
  pull: { readonly number: number; readonly head: string; readonly action: string; readonly delivery: string },
): Promise<number> {
  const { number, head, action, delivery } = pull;
  return deliver(hook, {
    event: 'pull_request',
    delivery,
    payload: {
      action,
      number,
      pull_request: { number, head: { sha: head } },
      repository: { id: hook.repositoryId, full_name: hook.fullName },
    },
  });
}

async function deliver(
  hook: Hook,
  { event, delivery, payload }: { readonly event: string; readonly delivery: string; readonly payload: object },
): Promise<number> {
  const body = JSON.stringify(payload);
  const answer = await fetch(hook.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}
