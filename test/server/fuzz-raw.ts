import type { Case, Raw } from './fuzz-cases.ts';
import type { Dice, Whole as Good } from './fuzz-deliveries.ts';

/** Spoils a delivery we would take. */
type RawKind = (dice: Dice, good: Good) => Case;

/** Head and body with these lines of framing instead of a right length. */
function frame(good: Good, framing: readonly string[], body: string | Buffer = good.body): Buffer {
  const lines = Object.entries(good.headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`POST ${good.path} HTTP/1.1`, 'host: h', ...lines, ...framing].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(body)]);
}
const whole = (good: Good): Buffer => frame(good, [`content-length: ${good.body.length}`]);
const made = (name: string, allowed: readonly string[], bytes: Buffer, then?: Raw['then']): Case => ({
  ...{ name, allowed, raw: { bytes, ...(then === undefined ? {} : { then }) } },
});
const NO_HTTP = ['400', 'closed'];

/** Two lengths: where one server would see the end of a request, another would see a second one. */
const twoLengths: RawKind = (dice, good) => {
  const size = good.body.length;
  const smuggled = Buffer.concat([Buffer.from('0\r\n\r\n'), whole(good)]);
  const [framing, body] = dice.pick<readonly [readonly string[], Buffer]>([
    [['content-length: 6', 'transfer-encoding: chunked'], smuggled],
    [['transfer-encoding: chunked', `content-length: ${smuggled.length}`], smuggled],
    [['transfer-encoding: xchunked'], smuggled],
    [['transfer-encoding: chunked, identity'], smuggled],
    [['transfer-encoding: identity', `content-length: ${size}`], good.body],
    [['transfer-encoding : chunked'], smuggled],
    [['transfer-encoding:\x0bchunked'], smuggled],
    [['content-length: 0', `content-length: ${size}`], good.body],
    [[`content-length: ${size}, ${size}`], good.body],
    [[`content-length: +${size}`], good.body],
    [[`content-length: ${size}x`], good.body],
    [['content-length: -1'], good.body],
    [['content-length: 99999999999999999999999'], good.body],
    [[`content-length : ${size}`], good.body],
    [['x: y', ` content-length: ${size}`, `content-length:${' '.repeat(3)}`], good.body],
  ]);
  return made('two lengths, or none', NO_HTTP, frame(good, framing, body));
};

const oddChunks: RawKind = (dice, good) => {
  const text = good.body.toString('latin1');
  const size = good.body.length.toString(16);
  const chunks = dice.pick([
    `fffffffffffffffff\r\n${text}\r\n0\r\n\r\n`,
    `-${size}\r\n${text}\r\n0\r\n\r\n`,
    `0x${size}\r\n${text}\r\n0\r\n\r\n`,
    `${size} \x01\r\n${text}\r\n0\r\n\r\n`,
    `${size}\r\n${text}0\r\n\r\n`,
    `z\r\n${text}\r\n0\r\n\r\n`,
    `\r\n${size}\r\n${text}\r\n0\r\n\r\n`,
    `${size};${'x'.repeat(40_000)}\r\n${text}\r\n0\r\n\r\n`,
    `${(good.body.length - 4).toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  ]);
  const bytes = frame(good, ['transfer-encoding: chunked'], Buffer.from(chunks, 'latin1'));
  return made('odd chunks', [...NO_HTTP, '413'], bytes);
};

const noHttp: RawKind = (dice, good) => {
  const line = `POST ${good.path} HTTP/1.1\r\nhost: h\r\n`;
  const bytes = dice.pick([
    Buffer.concat([Buffer.from([0x16, 3, 1]), dice.bytes(200)]),
    Buffer.from(`GARBAGE ${good.path} HTTP/1.1\r\n\r\n`),
    Buffer.from(`post ${good.path} HTTP/1.1\r\nhost: h\r\n\r\n`),
    Buffer.from(`POST ${good.path} HTTP/9.9\r\nhost: h\r\n\r\n`),
    Buffer.from(`POST ${good.path}\r\n\r\n`),
    Buffer.from(`POST /hooks/a b HTTP/1.1\r\nhost: h\r\n\r\n`),
    Buffer.from(`POST /hooks/\xff\xfe HTTP/1.1\r\nhost: h\r\nx\r\n\r\n`, 'latin1'),
    Buffer.from(`${line}x-odd: \0\r\n\r\n`),
    Buffer.from(`${line}x odd: y\r\n\r\n`),
    Buffer.from(`${line}: y\r\n\r\n`),
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.concat([Buffer.from('#'), dice.bytes(300)]),
  ]);
  return made('no HTTP', [...NO_HTTP, '415 unsupported_media_type'], bytes);
};

const bigHead: RawKind = (dice, good) => {
  const lines = dice.pick([
    [`x-odd: ${'x'.repeat(17_000)}`],
    Array.from({ length: 900 }, (_, n) => `x-${n}: ${dice.hex(20)}`),
  ]);
  return made(
    'a head that is too large',
    ['431', 'closed'],
    frame(good, [...lines, `content-length: ${good.body.length}`]),
  );
};

const announced: RawKind = (dice, good) => {
  const size = dice.pick(['5242881', '6000000', '9007199254740991', '1000000000000']);
  return made(
    'an announced length',
    ['413 body_limit'],
    frame(good, [`content-length: ${size}`], Buffer.alloc(dice.int(64))),
  );
};

const slow: RawKind = (dice, good) => {
  const bytes = whole(good);
  return made(
    'a body that does not come',
    ['408', 'closed'],
    bytes.subarray(0, bytes.length - 1 - dice.int(20)),
    'waits',
  );
};

const broken: RawKind = (dice, good) => {
  const bytes = whole(good);
  return made('a sender that breaks off', ['closed'], bytes.subarray(0, 1 + dice.int(bytes.length - 1)), 'breaks off');
};

const otherProtocol: RawKind = (dice, good) => {
  const upgrade = `connection: upgrade\r\nupgrade: ${dice.pick(['websocket', 'h2c', 'TLS/1.0'])}`;
  const bytes = dice.pick([
    Buffer.from(`CONNECT ${good.path} HTTP/1.1\r\nhost: h\r\n\r\n`),
    Buffer.from(`CONNECT example.com:443 HTTP/1.1\r\nhost: h\r\n\r\n`),
    Buffer.from(`GET ${good.path} HTTP/1.1\r\nhost: h\r\n${upgrade}\r\n\r\n`),
    Buffer.from(
      `POST ${good.path} HTTP/1.1\r\nhost: h\r\ncontent-type: text/plain\r\nexpect: 200-ok\r\ncontent-length: 4\r\n\r\nbody`,
    ),
  ]);
  return made('another protocol', ['405 method_not_allowed', '415 unsupported_media_type', '417', 'closed'], bytes);
};

const MOST: readonly RawKind[] = [twoLengths, oddChunks, noHttp, bigHead, announced, broken, otherProtocol];
/** Slow ones are rarer: each takes as long as it is let. */
export const RAW: readonly RawKind[] = [...MOST, ...MOST, ...MOST, slow];
