import { type CommitSha, commentCommand, commitSha, refName } from '../../kernel/index.ts';
import type { Delivery } from '../../ports/index.ts';
import { isRelevantChange, MergeRequestPayload, NotePayload, PushPayload } from './schema.ts';

/** Reads the payload of a delivery whose secret is valid. Never throws: what can not be read is ignored with a reason. */
export function decodeGitlabDelivery(event: string | undefined, body: Buffer): Delivery {
  if (event === 'Note Hook') return decodeNote(parseJson(body));
  if (event === 'Merge Request Hook') return decodeMergeRequest(parseJson(body));
  if (event !== 'Push Hook' && event !== 'Tag Push Hook') return { kind: 'ignored', reason: 'event' };
  const push = PushPayload.safeParse(parseJson(body));
  if (!push.success || push.data.object_kind !== (event === 'Push Hook' ? 'push' : 'tag_push')) return malformed();
  const ref = refName(push.data.ref);
  const after = commitSha(push.data.after);
  const project = projectId(push.data);
  if (!ref.ok || !after.ok || project === undefined) return malformed();
  return {
    kind: 'push',
    repositoryId: project.toString(),
    ref: ref.value,
    commit: /^0+$/.test(after.value) ? undefined : pushedCommit(push.data, after.value),
  };
}

function decodeMergeRequest(json: unknown): Delivery {
  const merge = MergeRequestPayload.safeParse(json);
  if (!merge.success) return malformed();
  if (!isRelevantChange(merge.data)) return { kind: 'ignored', reason: 'event' };
  const { project, object_attributes: request } = merge.data;
  const action = request.action === 'close' || request.action === 'merge' ? 'closed' : 'changed';
  const isForeign = request.target_project_id !== undefined && request.target_project_id !== project.id;
  // A request of an empty branch has no commit: nothing to plan, but its end is heard like any other.
  const isEmpty = !request.last_commit;
  const head = commitSha(request.last_commit?.id ?? '');
  if (isForeign || (!head.ok && !isEmpty)) return malformed();
  if (isEmpty && action === 'changed') return { kind: 'ignored', reason: 'event' };
  const about = { kind: 'pull_request', repositoryId: project.id.toString(), number: request.iid, action } as const;
  return { ...about, head: head.ok ? head.value : undefined };
}

/** Only a new comment on a request that looks like a command; the rest is talk between people. */
function decodeNote(json: unknown): Delivery {
  const parsed = NotePayload.safeParse(json);
  if (!parsed.success) return malformed();
  const { project, merge_request: request, object_attributes: note } = parsed.data;
  if (request?.target_project_id !== undefined && request.target_project_id !== project.id) return malformed();
  const isNew = note.system !== true && (note.action === undefined || note.action === 'create');
  if (!isNew || note.noteable_type !== 'MergeRequest' || !request || commentCommand(note.note) === undefined)
    return { kind: 'ignored', reason: 'event' };
  return { kind: 'comment', repositoryId: project.id.toString(), number: request.iid, comment: note.id.toString() };
}

/** Both places name the same project; a payload where they differ is not one of GitLab's. */
function projectId(push: PushPayload): number | undefined {
  const [outer, inner] = [push.project_id, push.project?.id];
  return outer !== undefined && inner !== undefined && outer !== inner ? undefined : (inner ?? outer);
}

function pushedCommit(push: PushPayload, after: CommitSha): CommitSha {
  const commit = commitSha(push.checkout_sha ?? '');
  return push.object_kind === 'tag_push' && commit.ok ? commit.value : after;
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
