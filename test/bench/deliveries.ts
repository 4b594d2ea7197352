import { createHmac } from 'node:crypto';

/** A repository of the bench with its hook. */
export type BenchHook = { readonly id: string; readonly secret: string; readonly repositoryId: string };

/** Hooks with fixed ids and secrets, so that the server's process and the load's make the same ones. */
export function benchHooks(count: number): readonly BenchHook[] {
  return Array.from({ length: count }, (_, i) => ({
    id: hex(`id ${i}`).slice(0, 32),
    secret: hex(`secret ${i}`),
    repositoryId: String(500_000_000 + i),
  }));
}

/** One HTTP request, ready but for its delivery id, which is written at `idAt` (36 bytes). */
export type BenchRequest = { readonly bytes: Buffer; readonly idAt: number };

/** A push as GitHub shapes it, of about 7 KB: three commits, the repository, its owner, pusher and sender with all their URLs. */
export function pushRequest(hook: BenchHook, commit: string): BenchRequest {
  const body = Buffer.from(JSON.stringify(pushPayload(hook.repositoryId, commit)));
  const signature = createHmac('sha256', hook.secret).update(body).digest('hex');
  const placeholder = '0'.repeat(36);
  const head = [
    `POST /hooks/${hook.id} HTTP/1.1`,
    'Host: hooks.example.com',
    'Accept: */*',
    'User-Agent: GitHub-Hookshot/044aadd',
    'Content-Type: application/json',
    'X-GitHub-Event: push',
    `X-GitHub-Delivery: ${placeholder}`,
    'X-GitHub-Hook-ID: 292430182',
    'X-GitHub-Hook-Installation-Target-ID: 79929171',
    'X-GitHub-Hook-Installation-Target-Type: repository',
    `X-Hub-Signature-256: sha256=${signature}`,
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n');
  return { bytes: Buffer.concat([Buffer.from(head), body]), idAt: head.indexOf(placeholder) };
}

function pushPayload(repositoryId: string, commit: string): unknown {
  const api = `https://api.example.com/repos/acme/shop-${repositoryId}`;
  const person = (login: string): Record<string, unknown> => ({
    login,
    id: 21_031_067,
    node_id: 'MDQ6VXNlcjIxMDMxMDY3',
    avatar_url: `https://avatars.example.com/u/21031067?v=4`,
    html_url: `https://git.example.com/${login}`,
    ...Object.fromEntries(
      ['followers', 'following', 'gists', 'starred', 'subscriptions', 'orgs', 'repos', 'events', 'received_events'].map(
        (kind) => [`${kind}_url`, `https://api.example.com/users/${login}/${kind}{/other}`],
      ),
    ),
    type: 'User',
    site_admin: false,
  });
  const change = (id: string, n: number): Record<string, unknown> => ({
    id,
    tree_id: hex(`tree ${id}`).slice(0, 40),
    distinct: true,
    message: `Change number ${n} of the checkout\n\nThe cart keeps its lines when the session is renewed.`,
    timestamp: '2026-11-29T12:00:00+01:00',
    url: `https://git.example.com/acme/shop/commit/${id}`,
    author: { name: 'A Developer', email: 'developer@example.com', username: 'developer' },
    committer: { name: 'GitHub', email: 'noreply@example.com', username: 'web-flow' },
    added: [`services/checkout/cart-${n}.ts`],
    removed: [],
    modified: ['hakopod.toml', `services/checkout/lines-${n}.ts`],
  });
  const urls = [
    'forks',
    'keys',

    'teams',
    'hooks',

    'events',

    'branches',
    'tags',
    'blobs',

    'git_refs',
    'trees',
    'statuses',

    'contributors',

    'subscription',
    'commits',
    'git_commits',
    'comments',

    'contents',
    'compare',

    'issues',
    'pulls',

    'notifications',
    'labels',
    'releases',
    'deployments',
  ];
  return {
    ref: 'refs/heads/main',
    before: hex(`before ${commit}`).slice(0, 40),
    after: commit,
    repository: {
      id: Number(repositoryId),
      node_id: 'MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=',
      name: `shop-${repositoryId}`,
      full_name: `acme/shop-${repositoryId}`,
      private: false,
      owner: person('acme'),
      html_url: 'https://git.example.com/acme/shop',
      description: 'A shop that sells what is in its window',
      fork: false,
      ...Object.fromEntries(urls.map((kind) => [`${kind}_url`, `${api}/${kind}{/sha}`])),
      created_at: 1_557_933_565,
      pushed_at: 1_557_933_657,
      size: 4_096,
      topics: ['shop', 'kubernetes'],
      visibility: 'public',
      default_branch: 'main',
    },
    pusher: { name: 'developer', email: 'developer@example.com' },
    sender: person('developer'),
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    compare: 'https://git.example.com/acme/shop/compare/a...b',
    commits: [
      change(hex(`1 ${commit}`).slice(0, 40), 1),
      change(hex(`2 ${commit}`).slice(0, 40), 2),
      change(commit, 3),
    ],
    head_commit: change(commit, 3),
  };
}

function hex(text: string): string {
  return createHmac('sha256', 'bench').update(text).digest('hex');
}
