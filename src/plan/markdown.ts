import { describe, LIMITS, type Problem } from '../kernel/index.ts';
import { groupLines, visible } from './lines.ts';
import type { Plan } from './plan.ts';
import { groupChanges, type ServiceGroup, summarisePlan } from './summary.ts';
import { heading, secretNames } from './text.ts';

/** Kept free for the note that says what was left out. */
const RESERVE = 200;

/** A part of a comment that can be cut between its lines and stays balanced. */
export type Block = {
  readonly open: readonly string[];
  readonly lines: readonly string[];
  readonly close: readonly string[];
};

/** What a comment says of a plan: one line that sums it up, then the details, which may be cut. */
export type PlanBody = { readonly heading: string; readonly blocks: readonly Block[] };

/**
 * The plan for a comment of a forge: the summary, what keeps it from being released, and the changes folded by service. What comes from the
 * file stands only inside fences, on lines that begin with a sign of ours, so it can be no Markdown, HTML, mention, link or command. `title`
 * is trusted text.
 */
export function planBody(plan: Plan, title = 'Plan'): PlanBody {
  return {
    heading: headingOf(title, summarisePlan(plan)),
    blocks: [
      ...list('Refused', plan.refusals.map(describe)),
      ...list('Warnings', plan.warnings),
      ...list('Required secrets', secretNames(plan)),
      ...groupChanges(plan.changes).map(changeBlock),
    ],
  };
}

/** The heading of a comment. Both texts are trusted. */
export function headingOf(title: string, summary: string): string {
  return `### ${title}: ${summary}`;
}

/** A file that never became a plan: what is wrong with it, with line and column. */
export function refusalPlan(problems: readonly Problem[]): Plan {
  return { changes: [], warnings: [], requiredSecrets: [], unchanged: false, specDigest: '', refusals: problems };
}

/**
 * The one exit of every comment: at most `LIMITS.commentCharacters`, every fence and `<details>` closed. `head` and `foot`, a few trusted
 * lines, are never cut; of the blocks the first one that does not fit is cut between two lines, and the number of missing lines is said.
 */
export function fitMarkdown(text: {
  readonly head: readonly string[];
  readonly blocks: readonly Block[];
  readonly foot: readonly string[];
}): string {
  const { head, blocks, foot } = text;
  const out = [...head];
  let left = LIMITS.commentCharacters - RESERVE - size([...head, ...foot]);
  let missing = 0;
  for (const { open, lines, close } of blocks) {
    const frame = size([...open, ...close]);
    const fitting = missing > 0 ? 0 : fittingLines(lines, left - frame);
    missing += lines.length - fitting;
    if (fitting === 0) continue;
    out.push(...open, ...lines.slice(0, fitting), ...close);
    left -= frame + size(lines.slice(0, fitting));
  }
  if (missing > 0) out.push('', `_${missing} more lines did not fit; \`hakopod plan\` shows them all._`);
  return `${[...out, ...foot].join('\n')}\n`;
}

function list(title: string, lines: readonly string[]): readonly Block[] {
  if (lines.length === 0) return [];
  return [
    { open: ['', `**${title}**`, '', '```text'], lines: lines.map((line) => `- ${visible(line)}`), close: ['```'] },
  ];
}

function changeBlock(group: ServiceGroup): Block {
  const lines = groupLines(group).map((line) => (line.startsWith('~') ? `!${line.slice(1)}` : line));
  const count = `${lines.length} line${lines.length === 1 ? '' : 's'}`;
  return {
    open: ['', `<details><summary>${heading(group)}, ${count}</summary>`, '', '```diff'],
    lines,
    close: ['```', '', '</details>'],
  };
}

function fittingLines(lines: readonly string[], room: number): number {
  let left = room;
  let n = 0;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    n += 1;
  }
  return n;
}

function size(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
