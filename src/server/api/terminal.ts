import { fail, ok, type Problem, problem, type Result } from '../../kernel/index.ts';
import { ExecControl, type ExecEvent, ExecStart, type Terminal } from '../../ports/api/index.ts';
import type { Clock, MessageSocket } from '../../ports/index.ts';
import { type AuthorityTimes, watchAuthority } from './authority.ts';
import { envelopeOf } from './errors.ts';

export type TerminalRequest = {
  readonly socket: MessageSocket;
  readonly clock: Clock;
  readonly times: AuthorityTimes;
  /** Runs the program. */
  readonly open: (start: ExecStart) => Promise<Result<Terminal>>;
  /** Asked again while it lasts; its no ends the session. */
  readonly authority: () => Promise<Result<void>>;
};

/** How long somebody may take to say what is to be run; milliseconds. */
const START_MS = 10_000;

/**
 * A terminal over a socket: first a text says what is to be run, then bytes are what is typed and texts new sizes. Output goes back as bytes;
 * texts tell that it began, how it ended or why it could not. When the reader leaves, the session is closed. Resolves once all is over.
 */
export async function runTerminal(request: TerminalRequest): Promise<void> {
  const { socket } = request;
  const tell = (event: ExecEvent): Promise<void> => socket.send(JSON.stringify(event));
  const refuse = (why: Problem): Promise<void> => {
    const { code, message } = envelopeOf(why).error;
    return tell({ error: { code, message } });
  };
  try {
    const start = await readStart(request);
    if (!start.ok) return await refuse(start.problem);
    const opened = await request.open(start.value);
    if (!opened.ok) return await refuse(opened.problem);
    const { pod, container, session } = opened.value;
    let lost: Problem | undefined;
    const stopAsking = watchAuthority(request.authority, request.times, () => {
      lost = problem('authority_revoked');
      session.close();
    });
    try {
      await tell({ started: { pod, container } });
      session.resize({ rows: start.value.rows, columns: start.value.columns });
      const typing = type(socket, session);
      const ended = await show(socket, session);
      if (!ended.ok) return await refuse(lost ?? ended.problem);
      const { exitCode } = session.inspect();
      await tell({ ended: exitCode === undefined ? {} : { exit_code: exitCode } });
      socket.close();
      await typing;
    } finally {
      stopAsking();
      session.close();
    }
  } finally {
    socket.close();
  }
}

async function readStart({ socket, clock }: TerminalRequest): Promise<Result<ExecStart>> {
  const waiting = new AbortController();
  const late = clock.sleep(START_MS, waiting.signal).then(() => undefined);
  const message = await Promise.race([socket.receive(), late]);
  waiting.abort();
  const start = ExecStart.safeParse(parse(message));
  return start.success
    ? ok(start.data)
    : fail(problem('invalid_request', 'the first message must say what is to be run: argv, rows, columns'));
}

/** What is typed goes in until the reader leaves; then nobody is there for the program any more. */
async function type(socket: MessageSocket, session: Terminal['session']): Promise<void> {
  for (;;) {
    const message = await socket.receive();
    if (message === undefined) return session.close();
    const control = typeof message === 'string' ? ExecControl.safeParse(parse(message)) : undefined;
    const done =
      typeof message !== 'string'
        ? await session.write(message)
        : control?.success === true
          ? session.resize(control.data.resize)
          : fail(problem('invalid_request'));
    // Whoever does not keep to the rules is not served on; an end is told by `show`.
    if (!done.ok) return session.close();
  }
}

async function show(socket: MessageSocket, session: Terminal['session']): Promise<Result<void>> {
  for (;;) {
    const chunk = await session.read();
    if (!chunk.ok) return chunk;
    if (chunk.value === undefined) return ok(undefined);
    await socket.send(chunk.value);
  }
}

function parse(message: string | Uint8Array | undefined): unknown {
  try {
    return typeof message === 'string' ? JSON.parse(message) : undefined;
  } catch {
    return undefined;
  }
}
