import { ok, type Result } from '../../kernel/index.ts';
import type { RefLine } from './advertisement.ts';
import { type ObjectFormat, oidLength } from './objects.ts';
import { dataPacket, malformed, type Packet, packetText, readPackets, specialPacket } from './pkt-line.ts';

/** A partial clone filter that servers in the wild accept; `tree:0` sends wanted objects and nothing below them. */
export type Filter = 'tree:0' | 'blob:none';

/** The server's own refusal of a fetch. `text` is its words: for the log only. */
export type Refusal = { readonly reason: 'missing' | 'filter' | 'other'; readonly text: string };

/** Body of an `ls-refs` request (gitprotocol-v2(5)): tags peeled, only refs that start with one of `prefixes`; none means all. */
export function lsRefsRequest(format: ObjectFormat, agent: string, prefixes: readonly string[]): Buffer {
  return command('ls-refs', { format, agent }, ['peel', ...prefixes.map((prefix) => `ref-prefix ${prefix}`)]);
}

/** Parses the answer to `ls-refs`. `unborn` lines are left out; `git_protocol` for anything else that is no ref. */
export function parseLsRefs(body: Buffer, format: ObjectFormat): Result<readonly RefLine[]> {
  const packets = readPackets(body);
  if (!packets.ok) return packets;
  const refs: RefLine[] = [];
  for (const packet of packets.value) {
    const text = packetText(packet);
    if (text === undefined) return ok(refs);
    const [oid = '', name = '', ...attributes] = text.split(' ');
    if (oid === 'unborn') continue;
    const peeled = attributes.find((attribute) => attribute.startsWith('peeled:'))?.slice(7);
    if (!isOid(oid, format) || name === '' || (peeled !== undefined && !isOid(peeled, format))) {
      return malformed('the ref list has a line that is no ref');
    }
    refs.push({ name, oid, ...(peeled === undefined ? {} : { peeled }) });
  }
  return malformed('the ref list has no end');
}

function isOid(text: string, format: ObjectFormat): boolean {
  return text.length === oidLength(format) && /^[0-9a-f]+$/.test(text);
}

/**
 * Body of a `fetch` request (gitprotocol-v2(5)) for exactly these objects. `shallow` adds `deepen 1`, without which a commit brings its
 * history. No `thin-pack`: bases outside the pack would have to be found here.
 */
export function fetchRequest(
  oids: readonly string[],
  options: {
    readonly format: ObjectFormat;
    readonly agent: string;
    readonly filter: Filter;
    readonly shallow: boolean;
  },
): Buffer {
  return command('fetch', options, [
    'no-progress',
    'ofs-delta',
    ...(options.shallow ? ['deepen 1'] : []),
    `filter ${options.filter}`,
    ...oids.map((oid) => `want ${oid}`),
    'done',
  ]);
}

/** Takes the pack out of the answer to `fetch`: sections, then the side band. A refusal is a value, since callers act on it. */
export function parseFetch(body: Buffer): Result<{ readonly pack: Buffer } | { readonly refusal: Refusal }> {
  const packets = readPackets(body);
  if (!packets.ok) return packets;
  const error = packetText(packets.value[0]);
  if (error?.startsWith('ERR ')) return ok({ refusal: refusalOf(error.slice(4)) });
  const start = packets.value.findIndex((packet) => packetText(packet) === 'packfile');
  if (start < 0) return malformed('the answer has no pack');
  return sideband(packets.value.slice(start + 1));
}

function sideband(packets: readonly Packet[]): Result<{ readonly pack: Buffer } | { readonly refusal: Refusal }> {
  const chunks: Buffer[] = [];
  for (const packet of packets) {
    if (packet.type !== 'data') return ok({ pack: Buffer.concat(chunks) });
    const band = packet.data[0];
    if (band === 1) chunks.push(packet.data.subarray(1));
    else if (band === 3) return ok({ refusal: refusalOf(packet.data.toString('utf8', 1)) });
    else if (band !== 2) return malformed('the answer has an unknown side band');
  }
  return malformed('the answer ends inside the pack');
}

/**
 * The protocol has no codes, so these words are all there is: git says "upload-pack: not our ref <oid>" for an object it does not
 * have or give, JGit "want <oid> not valid", git "filter 'tree' not supported" and the like for a filter that is switched off.
 */
function refusalOf(text: string): Refusal {
  if (/not our ref|not valid|unadvertised object|bad object|no such/i.test(text)) return { reason: 'missing', text };
  return { reason: /filter/i.test(text) ? 'filter' : 'other', text };
}

function command(
  name: string,
  options: { readonly format: ObjectFormat; readonly agent: string },
  lines: readonly string[],
): Buffer {
  // Servers from before SHA-256 do not know the capability, so SHA-1 goes without saying.
  const format = options.format === 'sha1' ? [] : [`object-format=${options.format}`];
  return Buffer.concat([
    ...[`command=${name}`, `agent=${options.agent}`, ...format].map((line) => dataPacket(`${line}\n`)),
    specialPacket('delimiter'),
    ...lines.map((line) => dataPacket(`${line}\n`)),
    specialPacket('flush'),
  ]);
}
