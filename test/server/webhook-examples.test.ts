import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createLog } from '../../src/adapters/log/index.ts';
import type { HookEntry } from '../../src/ports/index.ts';
import { type Call, call, GITHUB, GITLAB, type Harness, signed, startReceiver } from './harness.ts';

/** Each published example is delivered to a hook of its own repository and to one of another, and the verdicts are the golden table. */
const SIGNING_KEY = Buffer.alloc(32, 7);
const SECRETS: Readonly<Record<HookEntry['auth'], string>> = {
  hmac: 'current-secret',
  token: 'current-secret',
  'signing-token': `whsec_${SIGNING_KEY.toString('base64')}`,
};

/** `own-186853002-hmac` is a hook of the repository 186853002. */
function find(id: string): HookEntry | undefined {
  const [, repositoryId = '', auth = ''] = /^own-(\d+)-(hmac|token|signing-token)$/.exec(id) ?? [];
  const proof = (['hmac', 'token', 'signing-token'] as const).find((one) => one === auth);
  if (proof === undefined) return undefined;
  return { ...(proof === 'hmac' ? GITHUB : GITLAB), auth: proof, repositoryId, secrets: [SECRETS[proof]] };
}

let receiver: Harness;
const thrown: string[] = [];
beforeAll(async () => {
  const log = createLog('error', (line) => thrown.push(line));
  receiver = await startReceiver({ directory: { ready: true, find }, log });
});
afterAll(async () => {
  await receiver.server.stop();
  expect(thrown).toEqual([]);
});

/** Status, answer and what came of it: where a worker shall look, or the line in the history. */
async function verdictOf(delivery: Call): Promise<string> {
  const [before, written] = [receiver.accepted.length, receiver.recorded.length];
  const { status, body } = await call(receiver.port, delivery);
  const hints = receiver.accepted.slice(before);
  const lines = receiver.recorded.slice(written);
  // Never both: what is queued is marked by the queue, what is ignored is written down here.
  expect(hints.length + lines.length).toBe(1);
  const [hint, line] = [hints[0], lines[0]];
  const answer: unknown = JSON.parse(body);
  expect(answer).toEqual(hint === undefined ? { ignored: line!.verdict } : { accepted: true });
  if (hint === undefined) return `${status} ignored: ${line!.verdict}`;
  const commit = hint.commit === undefined ? 'no commit' : hint.commit.slice(0, 12);
  return `${status} accepted: ${hint.ref}, ${commit}`;
}

/** One row per distinct verdict, so that a hundred examples of one kind stay one line. */
type Rows = Map<string, Map<string, number>>;
function count(rows: Rows, cells: readonly string[], column: string): void {
  const row = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const counts = rows.get(row) ?? new Map<string, number>();
  rows.set(row, counts.set(column, (counts.get(column) ?? 0) + 1));
}
function table(rows: Rows, head: readonly string[], columns: readonly string[]): string {
  const lines = [...rows].map(([row, counts]) => row + columns.map((one) => ` ${counts.get(one) ?? ''} |`).join(''));
  const titles = [...head, ...columns];
  return [`| ${titles.join(' | ')} |`, `|${'---|'.repeat(titles.length)}`, ...lines.sort(), ''].join('\n');
}

const Examples = z.array(z.object({ name: z.string(), examples: z.array(z.record(z.string(), z.unknown())) }));
const Owned = z.object({ repository: z.object({ id: z.int() }) });
const PUBLISHED = new URL('../../node_modules/@octokit/webhooks-examples/', import.meta.url);
const VERSIONS = readdirSync(PUBLISHED, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const examplesOf = (version: string) =>
  Examples.parse(JSON.parse(readFileSync(new URL(`${version}/index.json`, PUBLISHED), 'utf8')));

describe('every published example of GitHub’s webhooks', () => {
  it('has the verdict it had, at a hook of its repository and at one of another', async () => {
    const rows: Rows = new Map();
    for (const version of VERSIONS) {
      for (const { name, examples } of examplesOf(version)) {
        for (const example of examples) {
          const owned = Owned.safeParse(example);
          const id = owned.success ? owned.data.repository.id : 1;
          const delivery = signed(JSON.stringify(example), { event: name });
          const own = await verdictOf({ ...delivery, path: `/hooks/own-${id}-hmac` });
          const again = signed(JSON.stringify(example), { event: name });
          const foreign = await verdictOf({ ...again, path: `/hooks/own-${id + 1}-hmac` });
          expect(foreign, `${name} at a hook of another repository`).not.toContain('accepted');
          count(rows, [name, String(example.action ?? ''), own, foreign], version);
        }
      }
    }
    const head = ['event', 'action', 'hook of its repository', 'hook of another'];
    await expect(table(rows, head, VERSIONS)).toMatchFileSnapshot('../golden/webhooks-github.md');
  });

  it('proves nothing with another secret', async () => {
    for (const { name, examples } of examplesOf('api.github.com')) {
      const delivery = signed(JSON.stringify(examples[0]), { event: name, secret: 'another' });
      // Each from an address of its own: the bucket of failures is not the matter here.
      expect((await call(receiver.port, { ...delivery, path: `/hooks/own-1-hmac` })).status).toSatisfy(isRefusal);
    }
  });
});

function isRefusal(status: number): boolean {
  return status === 401 || status === 429;
}

const FIXTURES = new URL('../fixtures/gitlab-hooks/', import.meta.url);
const Fixture = z.strictObject({ event: z.string(), payload: z.record(z.string(), z.unknown()) });
const GITLAB_HOOKS = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => ({
    name: name.slice(0, -'.json'.length),
    ...Fixture.parse(JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8'))),
  }));

let nth = 0;
/** As GitLab delivers it: with the secret as a token, or since version 19 signed. */
function fromGitlab(event: string, payload: unknown, auth: 'token' | 'signing-token'): Call {
  nth += 1;
  const id = `f5e5f430-f57b-4e6e-9fac-${String(nth).padStart(12, '0')}`;
  const body = JSON.stringify(payload);
  const seconds = String(Math.floor(receiver.clock.now().getTime() / 1_000));
  const signature = createHmac('sha256', SIGNING_KEY).update(`${id}.${seconds}.${body}`).digest('base64');
  const proof =
    auth === 'token'
      ? { 'x-gitlab-token': SECRETS.token }
      : { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
  const about = { 'x-gitlab-event': event, 'idempotency-key': id, 'x-gitlab-event-uuid': id };
  return { body, headers: { 'content-type': 'application/json', ...about, ...proof } };
}

describe('every event of GitLab’s webhooks', () => {
  it('has the verdict it had, by token and signed, at a hook of its project and at one of another', async () => {
    const rows: Rows = new Map();
    for (const { name, event, payload } of GITLAB_HOOKS) {
      const say = (auth: 'token' | 'signing-token', id: number): Promise<string> =>
        verdictOf({ ...fromGitlab(event, payload, auth), path: `/hooks/own-${id}-${auth}` });
      const own = await say('token', 15);
      expect(await say('signing-token', 15), `${name}, signed`).toBe(own);
      const foreign = await say('token', 16);
      expect(foreign, `${name} at a hook of another project`).not.toContain('accepted');
      count(rows, [event, name, own, foreign], '');
    }
    const head = ['event', 'payload', 'hook of its project', 'hook of another'];
    await expect(table(rows, head, [])).toMatchFileSnapshot('../golden/webhooks-gitlab.md');
  });
});
