import { PlanPage, PullRequestPlan } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { print, type Shown, short, when } from '../output.ts';
import { andThen, type Cli, type Flags, type Session, withOutput, withScope } from '../session.ts';

/** `plans list|show`: what was planned for open pull and merge requests. */
export function addPlans({ program, withApi }: Cli): void {
  const plans = program.command('plans').description('plans of open pull and merge requests');
  withOutput(withScope(plans.command('list').description('list them with their preview environments'))).action(
    (flags: Flags) => withApi(flags, listPlans),
  );
  withOutput(
    plans
      .command('show')
      .description('show the plan of one request')
      .argument('<plan>', 'its id, as `plans list` shows it: PROJECT.ENVIRONMENT.NAME.NUMBER'),
  ).action((id: string, flags: Flags) => withApi(flags, (session) => showPlan(session, id)));
}

async function listPlans(session: Session): Promise<number> {
  const listed = await session.api.all({ path: '/plans', query: session.scope, answer: PlanPage });
  return andThen(session, listed, (items) =>
    print(session, { items }, () => ({
      header: ['PLAN', 'REPOSITORY', 'HEAD', 'OUTCOME', 'PREVIEW', 'PLANNED'],
      rows: items.map((plan) => [
        plan.id,
        plan.repository_path ?? plan.repository,
        short(plan.head),
        plan.closed ? `${plan.outcome}, closed` : plan.outcome,
        plan.preview === undefined ? '-' : `${plan.preview.state} ${plan.preview.url ?? ''}`.trimEnd(),
        when(plan.planned_at),
      ]),
    })),
  );
}

async function showPlan(session: Session, id: string): Promise<number> {
  const found = await session.api.call({ method: 'GET', path: path`/plans/${id}`, answer: PullRequestPlan });
  return andThen(session, found, (value) => print(session, value, describePlan));
}

function describePlan(plan: PullRequestPlan): Shown {
  return [
    `${plan.id}: ${plan.outcome}${plan.code === undefined ? '' : ` (${plan.code})`}${plan.closed ? ', closed' : ''}`,
    ...(plan.summary === undefined ? [] : [plan.summary]),
    `request:  ${plan.repository_path ?? plan.repository} ${plan.number}${plan.fork ? ', from a fork' : ''}${plan.draft ? ', draft' : ''}`,
    `head:     ${plan.head ?? '-'}${plan.branch === undefined ? '' : ` of ${plan.branch}`}`,
    `base:     ${plan.base_ref ?? '-'}`,
    `compared: ${plan.revision === undefined ? '-' : `revision ${plan.revision}`}, under revision ${plan.grant_revision ?? '-'} of the grant`,
    ...previewLines(plan),
    ...(plan.text === undefined ? [] : ['', ...plan.text.trimEnd().split('\n')]),
  ];
}

function previewLines({ preview }: PullRequestPlan): readonly string[] {
  if (preview === undefined) return [];
  const { name, state, code, message, url, expires_at: until } = preview;
  return [
    `preview:  ${name}: ${state}${code === undefined ? '' : ` (${code})`}${message === undefined ? '' : `: ${message}`}`,
    ...(url === undefined ? [] : [`  at ${url}`]),
    ...(until === undefined ? [] : [`  until ${when(until)}`]),
  ];
}
