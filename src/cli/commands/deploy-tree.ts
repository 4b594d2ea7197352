import { Application } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { EXIT } from '../io.ts';
import type { Loaded } from '../offline/index.ts';
import { print } from '../output.ts';
import { type Flags, report, type Session } from '../session.ts';
import { complete } from './missing-secrets.ts';
import { accept } from './once.ts';
import { type Planned, planOf, titled } from './planned.ts';
import { follow } from './wait.ts';

/** What became of one application of a folder. */
type Outcome = {
  readonly application: string;
  readonly result: 'released' | 'unchanged' | 'failed' | 'not tried';
  readonly deployment?: string;
  readonly message?: string;
};

/**
 * Facts 8.5: all are planned before any is released; then one after another in the order of their folders; the first failure ends it, and
 * earlier successes stay. A line says of each what became of it.
 */
export async function deployTree(session: Session, applications: readonly Loaded[], flags: Flags): Promise<number> {
  const plans: Planned[] = [];
  for (const loaded of applications) {
    const planned = await planOf(session, loaded, flags);
    const whole = planned.ok ? await complete(session, planned.value) : planned;
    if (!whole.ok) {
      session.terminal.err(`${loaded.name}: nothing was released`);
      return report(session.terminal, whole);
    }
    plans.push(whole.value);
  }
  const outcomes: Outcome[] = [];
  let code: number = EXIT.ok;
  for (const planned of plans) {
    const application = titled(planned.request, planned.plan);
    if (code !== EXIT.ok) {
      outcomes.push({ application, result: 'not tried' });
      continue;
    }
    const done = await deployNext(session, planned, flags);
    outcomes.push({ application, ...done.outcome });
    code = done.code;
  }
  print(session, { items: outcomes }, () => ({
    header: ['APPLICATION', 'RESULT', 'RELEASE', 'MESSAGE'],
    rows: outcomes.map((one) => [one.application, one.result, one.deployment ?? '', one.message ?? '']),
  }));
  return code;
}

type Done = { readonly code: number; readonly outcome: Omit<Outcome, 'application'> };

async function deployNext(session: Session, planned: Planned, flags: Flags): Promise<Done> {
  if (await isSettled(session, planned)) return { code: EXIT.ok, outcome: { result: 'unchanged' } };
  const accepted = await accept(session, planned, flags);
  if (!accepted.ok)
    return {
      code: report(session.terminal, accepted),
      outcome: { result: 'failed', message: accepted.problem.message },
    };
  const deployment = accepted.value.id;
  session.terminal.err(`${deployment} is accepted`);
  const waited = await follow(session, accepted.value);
  if (waited.release === undefined)
    return { code: waited.code, outcome: { result: 'failed', deployment, message: 'how it ended is not known' } };
  const { release, urls } = waited;
  if (release.status === 'succeeded')
    return { code: EXIT.ok, outcome: { result: 'released', deployment, message: urls.join(' ') } };
  const message = `${release.status}${release.error === undefined ? '' : `: ${release.error}`}`;
  return { code: EXIT.ended, outcome: { result: 'failed', deployment, message } };
}

/** No change, and what was released last is healthy. */
async function isSettled(session: Session, { plan }: Planned): Promise<boolean> {
  if (plan.changes.length > 0 || plan.application_id === '') return false;
  const shown = await session.api.call({
    method: 'GET',
    path: path`/applications/${plan.application_id}`,
    answer: Application,
  });
  return shown.ok && shown.value.revision > 0 && (shown.value.status === 'healthy' || shown.value.status === 'empty');
}
