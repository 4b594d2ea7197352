import type { Application } from './application.ts';

type Dependent = { readonly depends_on: readonly string[] };

/**
 * Services with dependencies first, otherwise by name: depth-first over sorted names (facts 2.7). The same application gives the same
 * order. Names that do not exist are passed over; a cycle, which a parsed application never has, is cut where it closes.
 */
export function dependencyOrder(application: Pick<Application, 'services'>): readonly string[] {
  const order: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const dependency of dependenciesOf(application.services, name)) visit(dependency);
    order.push(name);
  };
  for (const name of Object.keys(application.services).sort()) visit(name);
  return order;
}

/** The services of one dependency cycle in order, without the repeated first; empty when there is none. Deterministic. */
export function dependencyCycle(services: Readonly<Record<string, Dependent>>): readonly string[] {
  const done = new Set<string>();
  const search = (name: string, trail: readonly string[]): readonly string[] => {
    const start = trail.indexOf(name);
    if (start >= 0) return trail.slice(start);
    if (done.has(name)) return [];
    for (const dependency of dependenciesOf(services, name)) {
      const cycle = search(dependency, [...trail, name]);
      if (cycle.length > 0) return cycle;
    }
    done.add(name);
    return [];
  };
  for (const name of Object.keys(services).sort()) {
    const cycle = search(name, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

function dependenciesOf(services: Readonly<Record<string, Dependent>>, name: string): readonly string[] {
  const own = services[name]?.depends_on ?? [];
  return own.filter((dependency) => Object.hasOwn(services, dependency)).toSorted();
}
