import { describe, LIMITS, type Problem } from '../kernel/index.ts';
import { cut } from './cut.ts';

/** Where a commit stands for one application. */
export type Standing =
  | { readonly kind: 'queued' }
  | { readonly kind: 'accepted'; readonly revision: number }
  | { readonly kind: 'deploying'; readonly revision: number; readonly service?: string }
  /** `grantEnds` is the day the deploy grant ends, when that is soon. */
  | { readonly kind: 'released'; readonly revision: number; readonly grantEnds?: string }
  /** The file says what revision `revision` is already. */
  | { readonly kind: 'unchanged'; readonly revision?: number }
  /** The deploy policy keeps the plan from being released; `check` names what is waited for, `until` says when a freeze ends. */
  | {
      readonly kind: 'waiting';
      readonly for: 'approval' | 'check' | 'freeze';
      readonly check?: string;
      readonly until?: string;
    }
  /** The commit's message asks not to be deployed. */
  | { readonly kind: 'skipped' }
  /** The commit does not touch the application's file. */
  | { readonly kind: 'untouched'; readonly path?: string }
  /** A pull request's plan; `summary` is the plan stage's one line. */
  | { readonly kind: 'planned'; readonly summary: string }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  /** `recovered` is the revision that was put back. */
  | {
      readonly kind: 'failed';
      readonly problem: Problem;
      readonly service?: string;
      readonly revision?: number;
      readonly recovered?: number;
    }
  | { readonly kind: 'superseded'; readonly by: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ref_gone' }
  | { readonly kind: 'source_removed' }
  | { readonly kind: 'source_suspended' }
  | { readonly kind: 'request_closed' }
  /** The request goes into a branch by now that the source is not bound to. */
  | { readonly kind: 'retargeted' }
  | { readonly kind: 'lost' };

/** What the forge shows: the same words as the ports' `CommitOutcome`. */
export type Shown = {
  readonly outcome: 'pending' | 'success' | 'failure' | 'superseded' | 'cancelled' | 'lost';
  /** One line of at most 140 characters (field lessons 3.3). */
  readonly description: string;
};

/** The only place that words commit statuses. Refusals name the field and its place first. */
export function describeOutcome(standing: Standing): Shown {
  const { outcome, text } = word(standing);
  return { outcome, description: cut(text, LIMITS.statusDescription) };
}

type Worded = { readonly outcome: Shown['outcome']; readonly text: string };

function word(standing: Standing): Worded {
  switch (standing.kind) {
    case 'queued':
      return { outcome: 'pending', text: 'queued' };
    case 'accepted':
      return { outcome: 'pending', text: `accepted as revision ${standing.revision}, queued` };
    case 'deploying':
      return { outcome: 'pending', text: `deploying revision ${standing.revision}${suffix(standing.service)}` };
    case 'released':
      return { outcome: 'success', text: `released revision ${standing.revision}${ending(standing.grantEnds)}` };
    case 'unchanged':
      return {
        outcome: 'success',
        text: `no change${standing.revision ? `, revision ${standing.revision} stays` : ''}`,
      };
    case 'waiting':
      return { outcome: 'pending', text: waiting(standing) };
    case 'skipped':
      return { outcome: 'success', text: 'skipped: the commit message says [skip hakopod]' };
    case 'untouched':
      return { outcome: 'success', text: `nothing touched${standing.path ? `: ${standing.path} is as it was` : ''}` };
    case 'planned':
      return { outcome: 'success', text: `plan: ${standing.summary}` };
    case 'refused':
      return { outcome: 'failure', text: refused(standing.problems) };
    default:
      return wordEnd(standing);
  }
}

type End = Extract<
  Standing,
  {
    kind:
      | 'failed'
      | 'superseded'
      | 'cancelled'
      | 'ref_gone'
      | 'source_removed'
      | 'source_suspended'
      | 'request_closed'
      | 'retargeted'
      | 'lost';
  }
>;

function wordEnd(standing: End): Worded {
  switch (standing.kind) {
    case 'failed':
      return { outcome: 'failure', text: failed(standing) };
    case 'superseded':
      return { outcome: 'superseded', text: `superseded by ${standing.by.slice(0, 7)}` };
    case 'cancelled':
      return { outcome: 'cancelled', text: 'cancelled' };
    case 'ref_gone':
      return { outcome: 'cancelled', text: 'cancelled: the ref no longer exists' };
    case 'source_removed':
      return { outcome: 'cancelled', text: 'cancelled: the source was removed' };
    case 'source_suspended':
      return { outcome: 'cancelled', text: 'cancelled: the source is suspended' };
    case 'request_closed':
      return { outcome: 'cancelled', text: 'cancelled: the pull request is closed' };
    case 'retargeted':
      return { outcome: 'cancelled', text: 'cancelled: the request goes into another branch now' };
    case 'lost':
      return { outcome: 'lost', text: 'lost: the worker stopped and the release did not end in time' };
  }
}

function waiting({ for: what, check, until }: Extract<Standing, { kind: 'waiting' }>): string {
  if (what === 'approval') return 'waiting until somebody approves the plan';
  return what === 'check' ? `waiting for the check ${check ?? ''}` : `frozen until ${until ?? 'the freeze ends'}`;
}

/** What runs now must survive a cut. */
function failed({ service, problem, recovered }: Extract<Standing, { kind: 'failed' }>): string {
  const end = recovered === undefined ? '' : `; revision ${recovered} was put back`;
  return `${cut(`failed${suffix(service)}: ${describe(problem)}`, LIMITS.statusDescription - end.length)}${end}`;
}

function ending(day: string | undefined): string {
  return day === undefined ? '' : `; the deploy grant ends on ${day}, renew it`;
}

function suffix(service: string | undefined): string {
  return service === undefined ? '' : `, service ${service}`;
}

/** The first problem, shortened so that "and N more" is never what is cut. */
function refused(problems: readonly Problem[]): string {
  const [first, ...others] = problems;
  if (first === undefined) return 'refused';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const room = LIMITS.statusDescription - more.length;
  return `${cut(`refused: ${placeFirst(first)}`, room)}${more}`;
}

/** Field, line and column before the text: they must survive a cut. */
function placeFirst({ at, position, message }: Problem): string {
  const line = position === undefined ? '' : `line ${position.line}, column ${position.column}`;
  const where = [at === undefined ? '' : cut(at, 70), line === '' || at === undefined ? line : `(${line})`];
  const place = where.filter((text) => text !== '').join(' ');
  return place === '' ? message : `${place}: ${message}`;
}
