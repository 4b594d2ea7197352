import type { Terminal } from '../io.ts';
import { visible } from '../output.ts';

/** Colours, and nothing else that steers a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape is what is looked for
const COLOUR = /(\u001b\[[0-9;]{0,20}m)/;

/** Prints what programs wrote, as it comes. */
export type BytePrinter = { chunk(bytes: Uint8Array): Promise<void>; end(): Promise<void> };

/**
 * To a pipe goes exactly what was written. On a person's terminal it keeps its lines, tabs and colours, and can do nothing else: what a
 * program in a pod writes is nobody's to obey.
 */
export function printer({ screen, out }: Pick<Terminal, 'screen' | 'out'>): BytePrinter {
  if (screen !== undefined && !screen.isTerminal) return { chunk: (bytes) => screen.write(bytes), end: async () => {} };
  const decoder = new TextDecoder();
  let rest = '';
  const lines = (text: string): void => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) out(harmless(line.replace(/\r$/, '')));
  };
  return {
    chunk: async (bytes) => lines(decoder.decode(bytes, { stream: true })),
    end: async () => {
      lines(decoder.decode());
      if (rest !== '') out(harmless(rest));
    },
  };
}

function harmless(line: string): string {
  return line
    .split(COLOUR)
    .map((part, i) => (i % 2 === 1 ? part : part.split('\t').map(visible).join('\t')))
    .join('');
}
