import type { PullRequestPlan } from '../../ports/api/index.ts';
import { escapeHtml, htmlPage, type Page } from './docs-page.ts';

const OUTCOMES: Readonly<Record<PullRequestPlan['outcome'], string>> = {
  waiting: 'not planned yet',
  planned: 'changes the application',
  unchanged: 'changes nothing',
  untouched: 'does not touch the file',
  refused: 'refused',
  limited: 'not planned: too many open requests',
};

/** A plan for people, as statuses link to it. What it says comes from a repository and is shown as text only. */
export function planPage(plan: PullRequestPlan): Page {
  const application = `${plan.project}/${plan.environment}/${plan.application}`;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Application', application],
    ['Repository', plan.repository_path ?? plan.repository],
    [
      'Request',
      `${plan.number}${plan.fork ? ' (from a fork)' : ''}${plan.draft ? ' (draft)' : ''}${plan.closed ? ' (closed)' : ''}`,
    ],
    ['Branch', plan.branch],
    ['Commit', plan.head],
    ['Base', plan.base_ref],
    ['Compared with revision', plan.revision === undefined ? undefined : String(plan.revision)],
    ['Grant revision', plan.grant_revision === undefined ? undefined : String(plan.grant_revision)],
    ['Outcome', OUTCOMES[plan.outcome] + (plan.code === undefined ? '' : ` (${plan.code})`)],
    ['Planned at', plan.planned_at],
  ];
  const list = rows
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value ?? '')}</dd>`)
    .join('');
  const whole = plan.text ?? plan.summary;
  const text = whole === undefined ? '' : `<pre>${escapeHtml(whole)}</pre>`;
  return htmlPage(
    `Plan of ${application}`,
    `<h1>Plan of ${escapeHtml(application)}</h1><dl>${list}</dl>${text}<p>Nothing of this was built or applied.</p>`,
  );
}
