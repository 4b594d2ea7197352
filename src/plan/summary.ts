import type { Change } from './changes.ts';
import type { Plan } from './plan.ts';

/** The changes of one service, or of the application itself under the empty name. */
export type ServiceGroup = {
  readonly service: string;
  readonly kind: 'application' | 'added' | 'removed' | 'changed';
  readonly changes: readonly Change[];
};

/** Changes by service in the plan's order. */
export function groupChanges(changes: readonly Change[]): readonly ServiceGroup[] {
  const names = [...new Set(changes.map((change) => change.service))];
  return names.map((service) => {
    const own = changes.filter((change) => change.service === service);
    return { service, kind: kindOf(service, own), changes: own };
  });
}

function kindOf(service: string, changes: readonly Change[]): ServiceGroup['kind'] {
  if (service === '') return 'application';
  const whole = changes.find((change) => change.field === 'service');
  if (whole === undefined) return 'changed';
  return whole.after === null ? 'removed' : 'added';
}

/** One line: `2 services to add, 1 to change`, `no changes`, or that the application is refused. */
export function summarisePlan(plan: Plan): string {
  if (plan.refusals.length > 0) return `refused, ${count(plan.refusals.length, 'problem')}`;
  if (plan.unchanged) return 'no changes';
  const groups = groupChanges(plan.changes);
  const of = (kind: ServiceGroup['kind']): number => groups.filter((group) => group.kind === kind).length;
  const parts = [
    part(of('added'), 'to add'),
    part(of('changed'), 'to change'),
    part(of('removed'), 'to remove'),
  ].filter((text) => text !== '');
  return parts.length === 0 ? 'changes to the application only' : parts.join(', ');
}

function part(n: number, what: string): string {
  return n === 0 ? '' : `${count(n, 'service')} ${what}`;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
