import { createHmac } from 'node:crypto';

/** Where a forge would deliver, and how it signs. */
export type Hook = {
  readonly url: string;
  readonly secret: string;
  readonly repositoryId: number;
  readonly fullName: string;
};

/** Plays the forge's part after a push: one signed delivery. Answers the receiver's status. */
export async function deliverPush(
  hook: Hook,
  push: { readonly commit: string; readonly delivery: string },
): Promise<number> {
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    after: push.commit,
    deleted: false,
    forced: false,
    repository: { id: hook.repositoryId, full_name: hook.fullName },
    head_commit: { id: push.commit },
  });
  const answer = await fetch(hook.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': push.delivery,
      'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
    },
  });
  await answer.arrayBuffer();
  return answer.status;
}
