import { describe, type Problem } from '../kernel/index.ts';
import { groupLines, visible } from './lines.ts';
import type { Plan } from './plan.ts';
import { groupChanges, type ServiceGroup, summarisePlan } from './summary.ts';
import { heading, secretNames } from './text.ts';

/** Characters of a comment: GitHub refuses more than 65,536, and what a forge adds needs room. */
const BUDGET = 58_000;
/** Kept free for the note that says what was left out. */
const RESERVE = 200;

/** A part of the comment that can be cut between its lines and stays balanced. */
type Block = { readonly open: readonly string[]; readonly lines: readonly string[]; readonly close: readonly string[] };

/**
 * The plan as a comment for a forge, at most 58,000 characters, every fence and `<details>` closed. What comes from the file stands only
 * inside fences, on lines that begin with a sign of ours, so it can be no Markdown, HTML, mention or link. `title` is trusted text.
 */
export function planMarkdown(plan: Plan, title = 'Plan'): string {
  return withinBudget([
    text(`### ${title}: ${summarisePlan(plan)}`),
    ...list('Refused', plan.refusals.map(describe)),
    ...list('Warnings', plan.warnings),
    ...list('Required secrets', secretNames(plan)),
    ...groupChanges(plan.changes).map(changeBlock),
  ]);
}

/** The same comment for a file that never became a plan: what is wrong with it, with line and column. */
export function refusalMarkdown(problems: readonly Problem[], title = 'Plan'): string {
  const nothing = { changes: [], warnings: [], requiredSecrets: [], unchanged: false, specDigest: '' };
  return planMarkdown({ ...nothing, refusals: problems }, title);
}

function text(line: string): Block {
  return { open: [], lines: [line], close: [] };
}

function list(title: string, lines: readonly string[]): readonly Block[] {
  if (lines.length === 0) return [];
  return [
    { open: ['', `**${title}**`, '', '```text'], lines: lines.map((line) => `- ${visible(line)}`), close: ['```'] },
  ];
}

function changeBlock(group: ServiceGroup): Block {
  return {
    open: ['', `<details open><summary>${heading(group)}</summary>`, '', '```diff'],
    lines: groupLines(group).map((line) => (line.startsWith('~') ? `!${line.slice(1)}` : line)),
    close: ['```', '', '</details>'],
  };
}

/** The one exit: adds block after block, cuts the one that does not fit between two lines, and says how many lines are missing. */
function withinBudget(blocks: readonly Block[]): string {
  const out: string[] = [];
  let left = BUDGET - RESERVE;
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
  return `${out.join('\n')}\n`;
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
