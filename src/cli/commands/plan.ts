import type { Plan, PlanRequest } from '../../ports/api/index.ts';
import { EXIT } from '../io.ts';
import { loadSpecs, type PlanFlags, planFiles, printProblemsOf } from '../offline/index.ts';
import { print, type Shown } from '../output.ts';
import { andThen, type Cli, type Flags, withOutput, withScope, withSpec } from '../session.ts';
import { planOf, titled } from './planned.ts';

/** `plan`: against the server, or of files alone with `--offline`. */
export function addPlan({ program, terminal, withApi, set }: Cli): void {
  withOutput(
    withScope(
      withSpec(program.command('plan').description('show what releasing a file would change'))
        .option('--service <name>', 'as if this service alone were released')
        .option('--offline', 'compare files, without a server')
        .option('--against <path>', 'with --offline: what is released now (default: nothing)'),
    ),
  ).action(async (file: string | undefined, flags: Flags & PlanFlags) => {
    if (flags.offline === true) return set(await planFiles(terminal, file, flags));
    const specs = await loadSpecs(terminal.folder ?? '.', file, flags);
    if (!specs.ok) return set(await andThen({ terminal }, specs, () => EXIT.ok));
    if (printProblemsOf(terminal, specs.value)) return set(EXIT.input);
    return withApi(flags, async (session) => {
      for (const loaded of specs.value.applications) {
        const planned = await planOf(session, loaded, flags);
        const code = await andThen(session, planned, ({ plan, request }) =>
          print(session, plan, () => describePlan(request, plan)),
        );
        if (code !== EXIT.ok) return code;
      }
      return EXIT.ok;
    });
  });
}

function describePlan(request: PlanRequest, plan: Plan): Shown {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  const changes = plan.changes.map(({ service, field, before, after, sensitive }) => {
    const where = service === '' ? field : `${service}.${field}`;
    return sensitive ? `${where}: changed` : `${where}: ${brief(before)} -> ${brief(after)}`;
  });
  return [
    `${titled(request, plan)}: ${changes.length === 0 ? 'no changes' : `${changes.length} change${changes.length === 1 ? '' : 's'}`} to revision ${plan.expected_revision}`,
    ...changes.map((line) => `  ${line}`),
    ...list('warnings:', plan.warnings),
    ...list(
      'secrets:',
      plan.required_secrets.map((name) => (plan.missing_secrets.includes(name) ? `${name} (missing)` : name)),
    ),
  ];
}

const LONGEST = 200;

function brief(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
