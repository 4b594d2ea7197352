import type { ListQuery, Release } from '../../ports/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Guard } from './guard.ts';
import type { Session } from './session.ts';

/** One release being carried out. */
export type Carrying = {
  readonly session: Session;
  readonly release: Release;
  readonly desired: Application;
  readonly guard: Guard;
  readonly deadline: Date;
  /** Leads the names of the steps on record; absent for the release itself. */
  readonly prefix?: string;
  /** The services to carry out; the others were done in an earlier try. All of them without. */
  readonly only?: ReadonlySet<string>;
};

/** The pods of one service. */
export function podsOf(session: Session, service: string): ListQuery {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: session.namespace,
    labelSelector: `hakopod.io/service=${service}`,
  };
}

/** The one of two moments that comes first. */
export function earlier(a: Date, b: Date): Date {
  return a.getTime() < b.getTime() ? a : b;
}
