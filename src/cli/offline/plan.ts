import { stringify } from 'yaml';
import { type OfflinePlan, planJson, planOffline, planText } from '../../plan/index.ts';
import { EXIT, type Terminal, unwrap } from '../io.ts';
import { printable } from './report.ts';
import type { Loaded } from './source.ts';
import type { Tree } from './tree.ts';
import { allProblems, loadSpecs, printVerdict, type SpecFlags } from './validate.ts';

/** Flags of `plan`. */
export type PlanFlags = SpecFlags & { readonly offline?: boolean; readonly against?: string };

/**
 * `hakopod plan --offline FILE --against FILE`: what a release of the first would change where the second is released; a first release without
 * the second. No grant, secret or cluster is looked at. Exit code 2 when either is invalid or the plan is refused. JSON: a line for each application.
 */
export async function planFiles(terminal: Terminal, path: string | undefined, flags: PlanFlags): Promise<number> {
  const current = terminal.folder ?? '.';
  const { against } = flags;
  return unwrap(terminal, await loadSpecs(current, path, flags), async (next) => {
    if (against === undefined) return printPlans(terminal, { next, previous: undefined }, flags);
    return unwrap(terminal, await loadSpecs(current, against, {}), (previous) =>
      printPlans(terminal, { next, previous }, flags),
    );
  });
}

type Trees = { readonly next: Tree; readonly previous: Tree | undefined };

function printPlans(terminal: Terminal, { next, previous }: Trees, flags: PlanFlags): number {
  const problems = [...allProblems(next), ...(previous === undefined ? [] : allProblems(previous))];
  if (problems.length > 0) {
    printVerdict(terminal, { ...next, applications: [] }, { problems, warnings: [], output: flags.output });
    return EXIT.input;
  }
  const plans = next.applications.flatMap((loaded) => planOf(loaded, counterpart(loaded, { next, previous })));
  for (const { name, plan } of plans) {
    if (flags.output === 'json') terminal.out(planJson(plan));
    else if (flags.output === 'yaml') terminal.out(`---\n${stringify(JSON.parse(planJson(plan))).trimEnd()}`);
    else terminal.out(`${plans.length > 1 ? `${printable(name)}\n` : ''}${planText(plan).trimEnd()}`);
  }
  return plans.some(({ plan }) => plan.refusals.length > 0) ? EXIT.input : EXIT.ok;
}

/** The previous state: of two files the other one, of two trees the application of the same name. */
function counterpart(loaded: Loaded, { next, previous }: Trees): Loaded | undefined {
  const [only, ...more] = previous?.applications ?? [];
  if (next.applications.length === 1 && more.length === 0) return only;
  return previous?.applications.find(({ title }) => title === loaded.title);
}

function planOf(loaded: Loaded, previous: Loaded | undefined): readonly { name: string; plan: OfflinePlan }[] {
  const { application, notes, locate, name } = loaded;
  if (application === undefined) return [];
  const plan = planOffline(application, previous?.application, notes);
  return [{ name, plan: { ...plan, refusals: plan.refusals.map((refusal) => locate(refusal).problem) } }];
}
