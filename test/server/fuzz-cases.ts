import { gzipSync } from 'node:zlib';
import { type Dice, eventsOf, HOOKS, PROOFS, type Proof, proven } from './fuzz-deliveries.ts';
import { BREAKERS } from './fuzz-payloads.ts';
import { RAW } from './fuzz-raw.ts';
import type { Call } from './harness.ts';

/** Bytes for a connection of its own. `then`: what the sender does after them. */
export type Raw = { readonly bytes: Buffer; readonly then?: 'waits' | 'breaks off' };
/** One delivery, and the answers it may get: the status with the word of the body, or `closed` for none. */
export type Case = { readonly name: string; readonly allowed: readonly string[] } & (
  | { readonly call: Call }
  | { readonly raw: Raw }
);

type Kind = (dice: Dice) => Case;
const REFUSED = ['401 unauthorized', '429 rate_limit'];
const kinds = (name: string, allowed: readonly string[], call: Call): Case => ({ name, allowed, call });

/** A delivery we would take. */
function good(dice: Dice, proof: Proof = dice.pick(PROOFS)) {
  const { event, payload } = dice.pick(eventsOf(proof));
  return { proof, event, ...proven(dice, proof, event, Buffer.from(JSON.stringify(payload))) };
}

const brokenBody: Kind = (dice) => {
  const proof = dice.pick(PROOFS);
  const event = dice.pick(eventsOf(proof));
  const name = dice.pick(Object.keys(BREAKERS));
  const { body, words } = BREAKERS[name]!(dice, event);
  const { path, headers } = proven(dice, proof, event.event, body);
  const odd = dice.int(4) === 0 ? oddHeaders(dice, proof) : {};
  return kinds(
    name,
    words.map((word) => `202 ${word}`),
    { path, body, headers: { ...headers, ...odd } },
  );
};

/** Headers that change nothing, however odd. */
function oddHeaders(dice: Dice, proof: Proof): Record<string, string> {
  const many = Object.fromEntries(Array.from({ length: dice.int(60) }, (_, n) => [`x-odd-${n}`, dice.hex(20)]));
  const ids = [
    '',
    'short',
    'x'.repeat(300),
    'with a space',
    '../../etc',
    '%00',
    '*',
    '"',
    'a:b:c',
    `hakopod:seen:${dice.hex(4)}`,
  ];
  // Of a signed delivery the id is part of what is signed.
  const id =
    proof === 'github'
      ? { 'x-github-delivery': dice.pick(ids) }
      : proof === 'gitlab'
        ? { 'idempotency-key': dice.pick(ids) }
        : {};
  return dice.pick([
    many,
    id,
    { ...many, ...id },
    { 'x-forwarded-for': ','.repeat(dice.int(500)) },
    { cookie: dice.hex(4_000) },
  ]);
}

const otherEvent: Kind = (dice) => {
  const proof = dice.pick(PROOFS);
  const name = dice.pick([
    'issues',
    'Job Hook',
    'Pipeline Hook',
    'PUSH',
    'push hook',
    'constructor',
    '__proto__',
    'toString',
    '',
    'x'.repeat(4_000),
  ]);
  const { body } = BREAKERS[dice.pick(Object.keys(BREAKERS))]!(dice, dice.pick(eventsOf(proof)));
  return kinds('an event nobody reads', ['202 event'], proven(dice, proof, name, body));
};

const badProof: Kind = (dice) => {
  const { proof, path, body, headers } = good(dice);
  const hex = dice.hex(64);
  const text = body.toString();
  const wrong: Record<Proof, readonly Record<string, string>[]> = {
    github: [
      ...[`sha256=${hex}`, `sha256=${hex.slice(1)}`, `sha256=${hex}0`, `sha1=${hex.slice(24)}`, hex, 'sha256=', ''],
      ...[
        `sha256=${headers['x-hub-signature-256']?.slice(7).toUpperCase()}`,
        `${headers['x-hub-signature-256']}, sha256=${hex}`,
      ],
    ].map((value) => ({ 'x-hub-signature-256': value })),
    gitlab: ['', 'current-secre', 'current-secret2', 'CURRENT-SECRET', hex, 'x'.repeat(8_000), 'undefined', 'null'].map(
      (value) => ({
        'x-gitlab-token': value,
      }),
    ),
    signed: [
      ...[
        hex,
        '',
        'v1,',
        `v1,${hex.slice(20)}`,
        'v1 '.repeat(900),
        headers['webhook-signature']?.replace('v1', 'v2') ?? '',
      ].map((value) => ({ 'webhook-signature': value })),
      ...['0', '', '-1', '1e10', '99999999999', 'NaN', String(Math.floor(Date.now() / 1_000) - 3_000)].map((value) => ({
        'webhook-timestamp': value,
      })),
      ...['', dice.hex(12), 'x'.repeat(200)].map((value) => ({ 'webhook-id': value })),
    ],
  };
  const other = dice.pick(PROOFS.filter((one) => one !== proof));
  const call = dice.pick<() => Call>([
    () => ({ path, body, headers: { ...headers, ...dice.pick(wrong[proof]) } }),
    () => ({ path, body: `${text} `, headers: proof === 'gitlab' ? { ...headers, 'x-gitlab-token': '' } : headers }),
    // What proves one hook proves no other, and an id nobody has proves nothing.
    () => ({ path: `/hooks/${HOOKS[other]}`, body, headers: { ...headers, 'x-gitlab-token': dice.hex(10) } }),
    () => ({ path: `/hooks/${dice.hex(32)}`, body, headers }),
  ])();
  return kinds('a proof that is none', REFUSED, call);
};

const oddPath: Kind = (dice) => {
  const { path, body, headers } = good(dice);
  const id = path.slice('/hooks/'.length);
  const paths = [
    ...[
      `${path}/`,
      `/${path}`,
      `${path}/x`,
      path.toUpperCase(),
      '/hooks',
      '/hooks/',
      '/hooks//',
      `/hooks/../hooks/${id}`,
      '/',
      '*',
    ],
    ...[
      `/hooks/${id.toUpperCase()}`,
      `/hooks/${id}%20`,
      `/hooks/%${id}`,
      `/hooks/${encodeURIComponent(`\0${id}`)}`,
      `/hooks/${id}.json`,
    ],
    ...[
      `/hooks/%61${id.slice(1)}`,
      `/hooks/${id};x`,
      '/hooks/__proto__',
      '/hooks/constructor',
      `/hooks/${'a'.repeat(201)}`,
      `/hook/${id}`,
    ],
    ...[
      `/hooks/${'a'.repeat(200)}`,
      `/api/v1/hooks/${id}`,
      '/hooks/%',
      `/hooks?id=${id}`,
      `/hooks/#${id}`,
      '/metrics',
      `//evil/hooks/${id}`,
    ],
  ];
  return kinds('a path of no hook', [...REFUSED, '404 not_found'], { path: dice.pick(paths), body, headers });
};

const otherMethod: Kind = (dice) => {
  const { path, body, headers } = good(dice);
  const method = dice.pick([
    'GET',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'PROPFIND',
    'QUERY',
    'TRACE',
    'SEARCH',
    'MKCOL',
  ]);
  const reads = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE'].includes(method);
  return kinds(`the method ${method}`, ['405 method_not_allowed', '405'], {
    method,
    path,
    headers,
    body: reads ? '' : body,
  });
};

const otherType: Kind = (dice) => {
  const { path, body, headers } = good(dice);
  const type = dice.pick([
    ...[
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/json',
      'application/jsonp',
      'application/json+x',
      'json',
    ],
    ...[
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
      'text/plain; application/json',
      'x'.repeat(5_000),
    ],
  ]);
  return kinds('another content type', ['415 unsupported_media_type'], {
    path,
    body,
    headers: { ...headers, 'content-type': type },
  });
};

const compressed: Kind = (dice) => {
  const proof = dice.pick(PROOFS);
  const { event, payload } = dice.pick(eventsOf(proof));
  const text = JSON.stringify(payload);
  // A mebibyte of blanks packs into a kibibyte; nothing here unpacks it.
  const packed = gzipSync(dice.int(20) === 0 ? text.padEnd(1_048_576) : text);
  const { path, body, headers } = proven(dice, proof, event, packed);
  const how = dice.pick(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']);
  return kinds('a compressed body', ['202 malformed'], {
    path,
    body,
    headers: { ...headers, 'content-encoding': how },
  });
};

const large: Kind = (dice) => {
  const proof = dice.pick(PROOFS);
  const { event, payload } = dice.pick(eventsOf(proof));
  const tooLarge = dice.int(2) === 0;
  const size = tooLarge ? 5 * 1_048_576 + 1 + dice.int(400_000) : 2 * 1_048_576;
  const text = JSON.stringify(payload);
  const body = Buffer.from(tooLarge ? text.padEnd(size) : `${text.slice(0, -1)}${' '.repeat(size - text.length)}`);
  const { path, headers } = proven(dice, proof, event, body);
  const call = { path, body, headers: dice.int(2) === 0 ? { ...headers, 'transfer-encoding': 'chunked' } : headers };
  return kinds(`a body of ${size} bytes`, [tooLarge ? '413 body_limit' : '202 malformed'], call);
};

const raw: Kind = (dice) => dice.pick(RAW)(dice, good(dice));

/** Out of a thousand. */
const MIX: readonly (readonly [number, Kind])[] = [
  [560, brokenBody],
  [190, badProof],
  [50, otherEvent],
  [50, oddPath],
  [40, otherMethod],
  [40, otherType],
  [29, compressed],
  [1, large],
  [40, raw],
];

export function nextCase(dice: Dice): Case {
  let left = dice.int(1_000);
  for (const [share, kind] of MIX) {
    if (left < share) return kind(dice);
    left -= share;
  }
  throw new Error('the shares are a thousand together');
}
