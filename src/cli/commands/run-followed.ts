import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterRunAnswer } from '../../ports/api/index.ts';
import { type Answered, path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import { print, type Shown } from '../output.ts';
import { andThen, refuse, type Session } from '../session.ts';

/** Between two looks at a run: soon at first, then at the pace of its own looks at a rollout. */
const LOOK_MS = { first: 50, most: 2000 } as const;
const TRIES = 3;
const PAUSE_MS = 500;
/** Seconds a run may take (cluster operations 0.1: 15 minutes). */
const LONGEST_SECONDS = 900;

/** Seconds of `--timeout`, or the exit code of its refusal. */
export function timeoutOf(
  session: Session,
  flag: unknown,
): { readonly seconds: number; readonly code?: undefined } | { readonly code: number } {
  const seconds = Number(flag);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_SECONDS
    ? { seconds }
    : { code: refuse(session.terminal, '--timeout', `must be 1 to ${LONGEST_SECONDS} seconds`) };
}

/** A request that begins a run. Its id is in the body, so that it can be asked again. */
export type RunWish = {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: { readonly request_id: string };
};

/** Begins a run, waits until it has ended and prints how. When the answer got lost the same id asks again, which does nothing twice. */
export async function runAndFollow(session: Session, wish: RunWish): Promise<number> {
  const begun = await begin(session, wish);
  return andThen(session, begun, (run) => followed(session, run));
}

async function begin(session: Session, wish: RunWish): Promise<Answered<ClusterRunAnswer>> {
  const id = wish.body.request_id;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await session.api.call({ ...wish, answer: ClusterRunAnswer });
    if (!answer.ok && answer.problem.code === 'run_in_progress') return readRun(session, id);
    const isKnown = answer.ok || (answer.status !== undefined && answer.status < 500);
    if (isKnown) return answer;
    if (attempt === TRIES)
      return { ...answer, hint: `it may go on all the same; \`hakopod cluster run ${id}\` shows it` };
    session.terminal.err(`no answer; asking again with the same request id ${id}`);
    await sleep(PAUSE_MS);
  }
}

/** A run by its id. */
export function readRun(session: Session, id: string): Promise<Answered<ClusterRunAnswer>> {
  return session.api.call({ method: 'GET', path: path`/cluster/runs/${id}`, answer: ClusterRunAnswer });
}

/** Waits until a run has ended, and prints how. An interrupt ends the waiting alone. */
export async function followed(session: Session, begun: ClusterRunAnswer): Promise<number> {
  const ending = new AbortController();
  const forget = session.terminal.onInterrupt?.(() => ending.abort());
  let run = begun;
  try {
    for (let pause: number = LOOK_MS.first; run.state !== 'ended'; pause = Math.min(pause * 2, LOOK_MS.most)) {
      await sleep(pause, undefined, { signal: ending.signal });
      const read = await readRun(session, run.id);
      if (read.ok) run = read.value;
      else if (read.status !== undefined && read.status < 500 && read.status !== 429)
        return await andThen(session, read, () => EXIT.ok);
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error;
    session.terminal.err(`stopped waiting; \`hakopod cluster run ${run.id}\` shows how it ends`);
    return EXIT.interrupted;
  } finally {
    forget?.();
  }
  return printRun(session, run);
}

/** Prints a run as it stands; one that goes on is no failure. */
export function printRun(session: Session, run: ClusterRunAnswer): number {
  print(session, run, linesOf);
  if (run.outcome === undefined) return EXIT.ok;
  return exitOf(run.outcome, run.steps.find(({ code }) => code !== undefined)?.code);
}

function linesOf({ kind, state, outcome, code, steps }: ClusterRunAnswer): Shown {
  const isOne = kind === 'apply';
  return [
    ...steps.map((step) => {
      const end = [step.outcome, step.code, step.detail].filter(Boolean).join(' ');
      return `${isOne ? '' : `${step.service} `}${step.step}: ${end}`;
    }),
    [outcome ?? state, code].filter(Boolean).join(' '),
  ];
}

/** Facts 8.2: forbidden, conflict, bad input, and everything else that did not come to its end. */
export function exitOf(outcome: string, code: string | undefined): number {
  if (outcome === 'succeeded') return EXIT.ok;
  if (code === 'forbidden' || code === 'admission_denied' || code === 'pod_security') return EXIT.forbidden;
  if (code === 'conflict' || code === 'name_taken') return EXIT.conflict;
  return outcome === 'denied' ? EXIT.input : EXIT.ended;
}
