import { type CommitSha, commentCommand, commitSha, refName } from '../../kernel/index.ts';
import type { Delivery } from '../../ports/index.ts';
import { CommentPayload, isRelevantChange, PingPayload, PullRequestPayload, PushPayload } from './schema.ts';

/** Reads the payload of a delivery whose signature is valid. Never throws: what can not be read is ignored with a reason. */
export function decodeGithubDelivery(event: string | undefined, body: Buffer): Delivery {
  switch (event) {
    case 'push':
      return decodePush(parseJson(body));
    case 'pull_request':
      return decodePullRequest(parseJson(body));
    case 'issue_comment':
      return decodeComment(parseJson(body));
    case 'ping':
      return decodePing(parseJson(body));
    default:
      return { kind: 'ignored', reason: 'event' };
  }
}

function decodePullRequest(json: unknown): Delivery {
  const pull = PullRequestPayload.safeParse(json);
  if (!pull.success) return malformed();
  if (!isRelevantChange(pull.data)) return { kind: 'ignored', reason: 'event' };
  const head = commitSha(pull.data.pull_request.head.sha);
  if (!head.ok) return malformed();
  return {
    kind: 'pull_request',
    repositoryId: pull.data.repository.id.toString(),
    number: pull.data.number,
    action: pull.data.action === 'closed' ? 'closed' : 'changed',
    head: head.value,
  };
}

/** Only a new comment on a request that looks like a command; the rest is talk between people. */
function decodeComment(json: unknown): Delivery {
  const parsed = CommentPayload.safeParse(json);
  if (!parsed.success) return malformed();
  const { action, issue, comment, repository } = parsed.data;
  const isCommand = commentCommand(comment.body ?? '') !== undefined;
  if (action !== 'created' || issue.pull_request === undefined || !isCommand)
    return { kind: 'ignored', reason: 'event' };
  return {
    kind: 'comment',
    repositoryId: repository.id.toString(),
    number: issue.number,
    comment: comment.id.toString(),
  };
}

function decodePing(json: unknown): Delivery {
  const ping = PingPayload.safeParse(json);
  return ping.success ? { kind: 'ping', repositoryId: ping.data.repository?.id.toString() } : malformed();
}

function decodePush(json: unknown): Delivery {
  const push = PushPayload.safeParse(json);
  if (!push.success) return malformed();
  const ref = refName(push.data.ref);
  const after = commitSha(push.data.after);
  if (!ref.ok || !after.ok) return malformed();
  const gone = push.data.deleted === true || /^0+$/.test(after.value);
  return {
    kind: 'push',
    repositoryId: push.data.repository.id.toString(),
    ref: ref.value,
    commit: gone ? undefined : pushedCommit(push.data, after.value),
  };
}

/** `after` of an annotated tag is the tag object, which is no commit and takes no status; `head_commit` is what it points to. */
function pushedCommit(push: PushPayload, after: CommitSha): CommitSha {
  const head = commitSha(push.head_commit?.id ?? '');
  return push.ref.startsWith('refs/tags/') && head.ok ? head.value : after;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function malformed(): Delivery {
  return { kind: 'ignored', reason: 'malformed' };
}
