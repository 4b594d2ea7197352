import type { Dice, Event, Path } from './fuzz-deliveries.ts';

/** A body no push, request or comment of ours can be read from, with the words we may answer. */
export type Broken = { readonly body: Buffer; readonly words: readonly string[] };

type Breaker = (dice: Dice, event: Event) => Broken;
const MALFORMED = ['malformed'];
const malformed = (text: string | Buffer): Broken => ({ body: Buffer.from(text), words: MALFORMED });

/** A note need not be on a merge request, so one that is not is well formed. */
const missing = (name: string, text: string): Broken =>
  name === 'merge_request' ? { body: Buffer.from(text), words: ['malformed', 'event'] } : malformed(text);

/** The payload with another value at the path; `undefined` takes the field away. */
function withValue(payload: Readonly<Record<string, unknown>>, path: Path, value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  const inner = payload[name] as Record<string, unknown>;
  return { ...payload, [name]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

const NO_TEXT: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  1e21,
  [],
  {},
  ['refs/heads/main'],
  { ref: 'refs/heads/main' },
];
const NO_ID: readonly unknown[] = [
  ...[undefined, null, true, '', '15', '186853002', [], [15], {}, { id: 15 }, 0, -0, -1, 1.5, 15.000001, 2 ** 53, 1e21],
];
/** Numbers JSON can write and JavaScript can not keep. */
const HUGE: readonly string[] = [
  ...['1e400', '-1e400', '9007199254740993', '1E+308', '-0.0', '1e-400', '18446744073709551616'],
  ...['9'.repeat(400), `1${'0'.repeat(5_000)}`, `0.${'3'.repeat(5_000)}`],
];
const NOT_JSON: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'null',
    'true',
    '0',
    '""',
    '[]',
    '[null]',
    '{',
    '}',
    '{"a"',
    "{'a':1}",
    '{a:1}',
    '[1,]',
    '{"a":1,}',
  ],
  ...[
    'NaN',
    'Infinity',
    '<xml/>',
    'payload=%7B%7D',
    '{"a":01}',
    '{"a":"\u0001"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '//',
  ],
];

/** Every way a body is broken, by name. What must be missed is always missed: a field that is needed is broken in each. */
export const BREAKERS: Readonly<Record<string, Breaker>> = {
  'a text that is none': (dice, event) =>
    malformed(JSON.stringify(withValue(event.payload, dice.pick(event.texts), dice.pick(NO_TEXT)))),

  'an id that is none': (dice, event) =>
    malformed(JSON.stringify(withValue(event.payload, dice.pick(event.ids), dice.pick(NO_ID)))),

  'a number that is too much': (dice, event) => {
    const text = JSON.stringify(withValue(event.payload, dice.pick(event.ids), '@@'));
    return malformed(text.replace('"@@"', dice.pick(HUGE)));
  },

  'a cut body': (dice, event) => {
    const whole = Buffer.from(JSON.stringify(event.payload));
    return malformed(whole.subarray(0, dice.int(whole.length)));
  },

  'the same key again': (dice, event) => {
    const [name = ''] = dice.pick(event.ids);
    const again = dice.pick(['null', '[]', '"x"', '{"id":{}}', '{"__proto__":{"id":15}}']);
    return missing(name, JSON.stringify(event.payload).replace(/\}$/, `,"${name}":${again}}`));
  },

  'what is missing on the prototype': (dice, event) => {
    const [name = '', ...rest] = dice.pick(event.ids);
    const { [name]: taken, ...left } = event.payload;
    const absent = JSON.stringify({ [name]: taken });
    const hidden = dice.pick([
      `"__proto__":${absent}`,
      `"constructor":{"prototype":${absent}}`,
      `"__proto__":{"__proto__":${absent},"polluted":true}`,
      `"${name}":{"__proto__":${JSON.stringify(rest.length === 0 ? { id: 15 } : taken)}}`,
    ]);
    return missing(name, JSON.stringify(left).replace(/\}$/, `,${hidden}}`));
  },

  'depth without end': (dice, event) => {
    const depth = dice.pick([50, 1_000, 20_000, 100_000]);
    const [open, close] = dice.pick([
      ['[', ']'],
      ['{"a":', '}'],
    ]);
    const inside = open === '[' ? '' : '1';
    const deep = open.repeat(depth) + inside + (dice.int(2) === 0 ? close.repeat(depth) : '');
    const text = JSON.stringify(withValue(event.payload, dice.pick([...event.ids, ...event.texts]), '@@'));
    return malformed(dice.int(2) === 0 ? deep : text.replace('"@@"', deep));
  },

  'bytes that are no text': (dice, event) => {
    const whole = Buffer.from(JSON.stringify(event.payload));
    const odd = dice.pick([
      [0xff],
      [0xfe, 0xff],
      [0xef, 0xbb, 0xbf],
      [0x00],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
    ]);
    const at = dice.pick([0, 1, whole.length - 1, whole.length]);
    return malformed(Buffer.concat([whole.subarray(0, at), Buffer.from(odd), whole.subarray(at)]));
  },

  'no JSON at all': (dice) =>
    dice.int(3) === 0
      ? malformed(Buffer.concat([Buffer.from('#'), dice.bytes(dice.int(600))]))
      : malformed(dice.pick(NOT_JSON)),

  'noise in what another repository says': (dice, event) => {
    const foreign = event.ids.filter((path) => /^(?:repository|project)$/.test(path[0] ?? ''));
    const payload = foreign.reduce((made, path) => withValue(made, path, 424_242_424), { ...event.payload });
    let body = Buffer.from(JSON.stringify(payload));
    for (let edits = dice.int(6); edits >= 0; edits -= 1) {
      const [from, length] = [dice.int(body.length + 1), dice.int(8)];
      const between = dice.pick([Buffer.alloc(0), dice.bytes(length), body.subarray(dice.int(body.length + 1))]);
      body = Buffer.concat([body.subarray(0, from), between, body.subarray(from + length)]);
    }
    return { body, words: ['malformed', 'event', 'repository'] };
  },
};
