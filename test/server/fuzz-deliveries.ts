import { createHmac } from 'node:crypto';
import type { HookEntry } from '../../src/ports/index.ts';
import { GITHUB, GITLAB } from './harness.ts';

/** Chance that can be repeated: the same seed, the same deliveries. */
export type Dice = {
  /** A whole number below `sides`. */
  int(sides: number): number;
  pick<T>(list: readonly T[]): T;
  hex(length: number): string;
  bytes(length: number): Buffer;
};

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (sides: number): number => Math.floor(next() * sides);
  return {
    int,
    pick: (list) => list[int(list.length)]!,
    hex: (length) => Array.from({ length }, () => int(16).toString(16)).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}

const SIGNING_KEY = Buffer.alloc(32, 7);
const SIGNED: HookEntry = {
  ...{ ...GITLAB, repository: 'shelf', auth: 'signing-token' },
  secrets: [`whsec_${SIGNING_KEY.toString('base64')}`],
};
/** The hooks there are: one of each proof. */
export const HOOKS = {
  github: 'a1b2c3d4e5f60718293a4b5c6d7e8f90',
  gitlab: 'b1b2c3d4e5f60718293a4b5c6d7e8f90',
  signed: 'c1b2c3d4e5f60718293a4b5c6d7e8f90',
} as const;
export type Proof = keyof typeof HOOKS;
export const PROOFS: readonly Proof[] = ['github', 'gitlab', 'signed'];
export const ENTRIES: ReadonlyMap<string, HookEntry> = new Map([
  [HOOKS.github, GITHUB],
  [HOOKS.gitlab, GITLAB],
  [HOOKS.signed, SIGNED],
]);

/** Deep inside a payload: the names on the way. */
export type Path = readonly string[];
/** An event with a payload we would take, and the fields without which we would not. */
export type Event = {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly texts: readonly Path[];
  readonly ids: readonly Path[];
};

const COMMIT = 'c'.repeat(40);
const id = Number(GITHUB.repositoryId);
const project = { id: Number(GITLAB.repositoryId) };
const push = { ref: 'refs/heads/main', before: '0'.repeat(40), after: COMMIT };
const GITHUB_EVENTS: readonly Event[] = [
  {
    event: 'push',
    payload: { ...push, deleted: false, repository: { id, full_name: 'acme/shop' }, commits: [] },
    texts: [['ref'], ['after']],
    ids: [['repository', 'id']],
  },
  {
    event: 'pull_request',
    payload: { action: 'opened', number: 7, pull_request: { head: { sha: COMMIT } }, repository: { id } },
    texts: [['action'], ['pull_request', 'head', 'sha']],
    ids: [['number'], ['repository', 'id']],
  },
  {
    event: 'issue_comment',
    payload: {
      ...{ action: 'created', issue: { number: 7, pull_request: {} } },
      ...{ comment: { id: 99, body: 'hakopod deploy' }, repository: { id } },
    },
    texts: [['action']],
    ids: [
      ['issue', 'number'],
      ['comment', 'id'],
      ['repository', 'id'],
    ],
  },
];
const request = { iid: 12, action: 'open', target_project_id: project.id, last_commit: { id: COMMIT } };
const note = { id: 5, note: 'hakopod deploy', noteable_type: 'MergeRequest', action: 'create' };
const GITLAB_EVENTS: readonly Event[] = [
  {
    event: 'Push Hook',
    payload: { object_kind: 'push', ...push, checkout_sha: COMMIT, project },
    texts: [['object_kind'], ['ref'], ['after']],
    ids: [['project', 'id']],
  },
  {
    event: 'Tag Push Hook',
    payload: { object_kind: 'tag_push', ...push, ref: 'refs/tags/v1', checkout_sha: COMMIT, project },
    texts: [['object_kind'], ['ref'], ['after']],
    ids: [['project', 'id']],
  },
  {
    event: 'Merge Request Hook',
    payload: { object_kind: 'merge_request', project, object_attributes: request, changes: {} },
    texts: [['object_kind'], ['object_attributes', 'last_commit', 'id']],
    ids: [
      ['project', 'id'],
      ['object_attributes', 'iid'],
    ],
  },
  {
    event: 'Note Hook',
    payload: { object_kind: 'note', project, object_attributes: note, merge_request: { iid: 12 } },
    texts: [['object_kind'], ['object_attributes', 'note'], ['object_attributes', 'noteable_type']],
    ids: [
      ['project', 'id'],
      ['object_attributes', 'id'],
      ['merge_request', 'iid'],
    ],
  },
];

export function eventsOf(proof: Proof): readonly Event[] {
  return proof === 'github' ? GITHUB_EVENTS : GITLAB_EVENTS;
}

/** A delivery with nothing left open. */
export type Whole = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** The delivery as its forge would send it, its secret proven. */
export function proven(dice: Dice, proof: Proof, event: string, body: Buffer): Whole {
  const delivery = `${dice.hex(8)}-${dice.hex(12)}`;
  const about = { 'content-type': 'application/json', 'x-forwarded-for': `10.${dice.int(256)}.${dice.int(256)}.9` };
  const path = `/hooks/${HOOKS[proof]}`;
  if (proof === 'github') {
    const signature = createHmac('sha256', GITHUB.secrets[0]!).update(body).digest('hex');
    const named = { 'x-github-event': event, 'x-github-delivery': delivery };
    return { path, body, headers: { ...about, ...named, 'x-hub-signature-256': `sha256=${signature}` } };
  }
  const named = { ...about, 'x-gitlab-event': event, 'idempotency-key': delivery };
  if (proof === 'gitlab') return { path, body, headers: { ...named, 'x-gitlab-token': GITLAB.secrets[0]! } };
  const seconds = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SIGNING_KEY).update(`${delivery}.${seconds}.`).update(body).digest('base64');
  const signed = { 'webhook-id': delivery, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
  return { path, body, headers: { ...named, ...signed } };
}
