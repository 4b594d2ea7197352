import { ok, type Result } from '../../kernel/index.ts';
import type { ObjectFormat } from './objects.ts';
import { malformed, type Packet, packetText, readPackets } from './pkt-line.ts';

/** One ref as a server lists it; `peeled` is what an annotated tag finally points to. */
export type RefLine = { readonly name: string; readonly oid: string; readonly peeled?: string };

/** What a server says about itself in answer to `GET info/refs`. */
export type Advertisement =
  | { readonly version: 2; readonly format: ObjectFormat; readonly filter: boolean }
  | { readonly version: 0; readonly format: ObjectFormat; readonly refs: readonly RefLine[] };

/** Parses the answer to `GET info/refs?service=git-upload-pack` (gitprotocol-http(5), gitprotocol-v2(5)). */
export function parseAdvertisement(body: Buffer): Result<Advertisement> {
  const packets = readPackets(body);
  if (!packets.ok) return packets;
  let rest = packets.value;
  if (packetText(rest[0]) === '# service=git-upload-pack') rest = rest.slice(rest[1]?.type === 'flush' ? 2 : 1);
  const first = packetText(rest[0]);
  if (first === 'version 2') return parseCapabilities(rest.slice(1));
  return parseRefs(first === 'version 1' ? rest.slice(1) : rest);
}

function parseCapabilities(packets: readonly Packet[]): Result<Advertisement> {
  const capabilities = new Map<string, string>();
  for (const packet of packets) {
    const text = packetText(packet);
    if (text === undefined) break;
    const equals = text.indexOf('=');
    capabilities.set(equals < 0 ? text : text.slice(0, equals), equals < 0 ? '' : text.slice(equals + 1));
  }
  const fetch = capabilities.get('fetch');
  const format = formatOf(capabilities.get('object-format'));
  if (fetch === undefined || !capabilities.has('ls-refs')) return malformed('the server can not fetch or list refs');
  if (format === undefined) return malformed('the repository has an unknown object format');
  return ok({ version: 2, format, filter: fetch.split(' ').includes('filter') });
}

function formatOf(name: string | undefined): ObjectFormat | undefined {
  if (name === undefined || name === 'sha1') return 'sha1';
  return name === 'sha256' ? 'sha256' : undefined;
}

function parseRefs(packets: readonly Packet[]): Result<Advertisement> {
  const refs = new Map<string, RefLine>();
  let format: ObjectFormat | undefined = 'sha1';
  for (const [i, packet] of packets.entries()) {
    const text = packetText(packet);
    if (text === undefined) break;
    const [line = '', capabilities = ''] = text.split('\0');
    if (i === 0) format = formatOf(/(?:^| )object-format=(\S+)/.exec(capabilities)?.[1]);
    const match = /^([0-9a-f]{40}|[0-9a-f]{64}) (.+)$/.exec(line);
    if (match === null) {
      if (line.startsWith('shallow ')) continue;
      return malformed('the ref list has a line that is no ref');
    }
    addRef(refs, match[2] ?? '', match[1] ?? '');
  }
  if (format === undefined) return malformed('the repository has an unknown object format');
  return ok({ version: 0, format, refs: [...refs.values()] });
}

/** `name^{}` lines carry what the tag before them points to; `capabilities^{}` stands for "no refs". */
function addRef(refs: Map<string, RefLine>, name: string, oid: string): void {
  if (name === 'capabilities^{}') return;
  const tag = name.endsWith('^{}') ? refs.get(name.slice(0, -3)) : undefined;
  if (tag === undefined) refs.set(name, { name, oid });
  else refs.set(tag.name, { ...tag, peeled: oid });
}
