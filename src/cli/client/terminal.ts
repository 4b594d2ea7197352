import { problem } from '../../kernel/index.ts';
import { ExecEvent, type ExecStart } from '../../ports/api/index.ts';
import type { MessageSocket } from '../../ports/index.ts';
import { EXIT, type Screen, type Terminal } from '../io.ts';
import { report } from '../session.ts';
import { codeOf } from './api.ts';

/** Bytes of one message of what is typed. */
const INPUT_BYTES = 32 * 1024;
/** What a terminal sends for Ctrl-D. */
const END_OF_INPUT = new Uint8Array([4]);

/**
 * Runs a program at the other end of the socket on this terminal, until it ends. Answers its exit code; 1 when nobody knows how it ended.
 */
export async function runTerminal(terminal: Terminal, socket: MessageSocket, argv: readonly string[]): Promise<number> {
  const { screen } = terminal;
  const start: ExecStart = { argv: [...argv], rows: 24, columns: 80, ...screen?.size() };
  await socket.send(JSON.stringify(start));
  const stops: (() => void)[] = [];
  const begin = (): void => {
    if (screen !== undefined) stops.push(...attach(screen, socket));
  };
  try {
    return await follow(terminal, socket, begin);
  } finally {
    for (const stop of stops) stop();
    socket.close();
  }
}

function attach(screen: Screen, socket: MessageSocket): readonly (() => void)[] {
  // One after another: what is typed must not overtake itself.
  let sending: Promise<void> = Promise.resolve();
  const send = (message: string | Uint8Array): void => {
    sending = sending.then(() => socket.send(message));
  };
  return [
    screen.onInput((chunk) => {
      if (chunk === undefined) return send(END_OF_INPUT);
      for (let at = 0; at < chunk.length; at += INPUT_BYTES) send(chunk.subarray(at, at + INPUT_BYTES));
    }),
    screen.onResize(() => {
      const size = screen.size();
      if (size !== undefined) send(JSON.stringify({ resize: size }));
    }),
  ];
}

async function follow(terminal: Terminal, socket: MessageSocket, begin: () => void): Promise<number> {
  const decoder = new TextDecoder();
  for (;;) {
    const message = await socket.receive();
    if (message === undefined) {
      terminal.err('the connection was lost; the program may still run');
      return EXIT.failure;
    }
    if (typeof message !== 'string') {
      if (terminal.screen !== undefined) await terminal.screen.write(message);
      else terminal.out(decoder.decode(message, { stream: true }).replace(/\r?\n$/, ''));
      continue;
    }
    const event = ExecEvent.safeParse(parse(message));
    if (!event.success) continue;
    if ('started' in event.data) begin();
    else if ('ended' in event.data) return ended(terminal, event.data.ended.exit_code);
    else {
      const { code, message: why } = event.data.error;
      return report(terminal, { ok: false, problem: problem(codeOf(code), why) });
    }
  }
}

function ended(terminal: Terminal, exitCode: number | undefined): number {
  if (exitCode !== undefined) return exitCode;
  terminal.err('the program has ended, and nobody knows how');
  return EXIT.failure;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
