import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText } from '../../src/adapters/log/index.ts';
import { LogTail } from '../../src/build/index.ts';

const TOKEN = `glpat-${'a1B2'.repeat(6)}`;

function tailOf(...pieces: readonly string[]): LogTail {
  const tail = new LogTail(redactText);
  for (const piece of pieces) tail.push(piece);
  tail.end();
  return tail;
}

describe('the tail of a log', () => {
  it('is the lines, whatever the pieces they come in', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b\n', '\n', 'cd', 'e\nf', ` ${TOKEN} `)), (pieces) => {
        expect(tailOf(...pieces).lines).toEqual(tailOf(pieces.join('')).lines);
        expect(tailOf(...pieces).text()).not.toContain(TOKEN);
      }),
    );
  });

  it('keeps the last 32 KiB and says how much it left out', () => {
    const tail = tailOf(...Array.from({ length: 5000 }, (_, i) => `line ${i} ${'ü'.repeat(20)}\n`));
    expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(32 * 1024);
    expect(Buffer.byteLength(tail.text())).toBeGreaterThan(31 * 1024);
    expect(tail.lines.at(-1)).toContain('line 4999 ');
    expect(tail.text().split('\n')[0]).toBe(`[${5000 - tail.lines.length} earlier lines are not kept]`);
  });

  it('holds no more of a line without an end, and drops the rest of it', () => {
    const tail = tailOf(...Array.from({ length: 100 }, () => 'x'.repeat(10_000)), '\nnext\n');
    expect(tail.lines.map((line) => line.length)).toEqual([2003, 4]);
    expect(tail.lines.at(-1)).toBe('next');
  });

  it('shows no token, also where a line is cut', () => {
    for (const before of [0, 1980, 1990, 1999, 8180, 8190])
      expect(tailOf(`${'-'.repeat(before)} ${TOKEN} end\n`).text()).not.toMatch(/glpat-\w{8}/);
    expect(tailOf('https://robot:hunter2@registry.example.com\n').text()).not.toContain('hunter2');
  });

  it('leaves private keys out, line by line, also when only their end is kept', () => {
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      ...Array.from({ length: 900 }, () => 'MIIE'.repeat(16)),
      '-----END RSA PRIVATE KEY-----',
    ];
    const tail = tailOf(`before\n${key.join('\n')}\nafter\n`);
    expect(tail.lines).toEqual(['before', '[redacted]', 'after']);
    expect(tailOf(`before\n${key.slice(0, -1).join('\n')}\n`).text()).not.toContain('MIIE');
  });

  it('shows what a terminal would: no colours, no controls, the last of a rewritten line', () => {
    const text = '\u001b[31mred\u001b[0m\u0007\n10%\r50%\r100%\r\n\ta\u0000b\n\u001b]0;title\u0007x\n';
    expect(tailOf(text).lines).toEqual(['red', '100%', ' ab', 'x']);
  });
});
