import { describe } from '../kernel/index.ts';
import { groupLines, visible } from './lines.ts';
import type { Plan } from './plan.ts';
import { groupChanges, type ServiceGroup, summarisePlan } from './summary.ts';

/** The plan for a terminal. Ends with a newline. */
export function planText(plan: Plan): string {
  const lines = [
    `Plan: ${summarisePlan(plan)}`,
    ...section('Refused', plan.refusals.map(describe)),
    ...groupChanges(plan.changes).flatMap((group) => [
      '',
      heading(group),
      ...groupLines(group).map((line) => `  ${line}`),
    ]),
    ...section('Warnings', plan.warnings),
    ...section('Required secrets', secretNames(plan)),
  ];
  return `${lines.join('\n')}\n`;
}

/** Heading of a group: the service and what happens to it. */
export function heading({ service, kind }: ServiceGroup): string {
  return kind === 'application' ? 'application' : `${service} (${kind})`;
}

/** Required secrets by name, the missing ones marked when that may be told. */
export function secretNames(plan: Plan): readonly string[] {
  return plan.requiredSecrets.map((name) => (plan.missingSecrets?.includes(name) ? `${name} (missing)` : name));
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  - ${visible(line)}`)];
}
