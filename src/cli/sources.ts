import { displayApplication, fail, problem } from '../kernel/index.ts';
import { type GitSource, REQUESTED_AT } from '../ports/index.ts';
import { type Terminal, table, unwrap } from './io.ts';
import { findSource } from './names.ts';
import type { Workbench } from './workbench.ts';

const SHORT = 12;

/** Lists all sources, by application. */
export function listSources(workbench: Workbench, terminal: Terminal, json: boolean): number {
  const sources = [...workbench.store.sources.all()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (json) {
    terminal.out(JSON.stringify(sources.map(publicSource), undefined, 2));
    return 0;
  }
  const rows = sources.map((source) => [
    displayApplication(source.spec.application),
    source.spec.repository,
    source.spec.ref,
    source.spec.path,
    source.status.seen?.commit.slice(0, SHORT) ?? '-',
    stateOf(source),
  ]);
  for (const line of table(['APPLICATION', 'REPOSITORY', 'REF', 'PATH', 'SEEN', 'STATE'], rows)) terminal.out(line);
  return 0;
}

/** Shows one source: its binding, its grant, what was planned and what the forge was told. */
export function showSource(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly name: string; readonly json: boolean },
): Promise<number> {
  return unwrap(terminal, findSource(workbench.store, input.name), (source) => {
    if (input.json) {
      terminal.out(JSON.stringify(publicSource(source), undefined, 2));
      return 0;
    }
    const { spec, status } = source;
    const repository = workbench.store.repositories.cached(spec.repository);
    const lines = [
      `application:  ${displayApplication(spec.application)}`,
      `repository:   ${repository?.spec.project ?? spec.repository} (${spec.repository})`,
      `ref and path: ${spec.ref} ${spec.path}`,
      `webhook:      /hooks/${repository?.spec.hookId ?? '-'}, poll every ${repository?.spec.intervalSeconds ?? '-'} s`,
      `grant:        revision ${spec.grant.revision}, by ${spec.grant.owner}, until ${spec.grant.expiresAt}`,
      `  may deploy: ${spec.grant.permissions.join(', ')} from ${spec.grant.refs.join(', ')}`,
      `  registries: ${spec.grant.registries.join(', ') || 'none'}; domains: ${spec.grant.domains.join(', ') || 'none'}; build args: ${spec.grant.buildArgs.join(', ') || 'none'}`,
      `state:        ${stateOf(source)}`,
      `seen:         ${status.seen?.commit ?? '-'}`,
      `planned:      ${status.planned === undefined ? '-' : `${status.planned.commit} ${status.planned.outcome} ${status.planned.code ?? ''} ${status.planned.message ?? ''}`.trimEnd()}`,
      `released:     ${status.released === undefined ? '-' : `revision ${status.released.revision} at ${status.released.commit}`}`,
      'statuses:',
      ...[...(status.reports ?? [])]
        .reverse()
        .slice(0, 10)
        .map(
          (report) =>
            `  ${report.commit.slice(0, SHORT)} ${report.desired.outcome}: ${report.desired.description}${report.posted === undefined ? ' (not posted yet)' : ''}`,
        ),
    ];
    for (const line of lines) terminal.out(line);
    return 0;
  });
}

/** Asks for one more plan of the commit the ref points to now. */
export async function syncSource(workbench: Workbench, terminal: Terminal, name: string): Promise<number> {
  return changeSource(workbench, terminal, {
    name,
    done: 'sync requested; a suspended source is read when it is resumed',
    change: (source) => ({ annotations: requested(workbench, source) }),
  });
}

/** Stops or restarts following the ref; what runs keeps running. */
export async function suspendSource(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly name: string; readonly suspended: boolean },
): Promise<number> {
  return changeSource(workbench, terminal, {
    name: input.name,
    done: input.suspended ? 'suspended; pushes change nothing until it is resumed' : 'resumed; the ref is read now',
    change: (source) => ({
      spec: { ...source.spec, suspended: input.suspended },
      ...(input.suspended ? {} : { annotations: requested(workbench, source) }),
    }),
  });
}

const DAY_MS = 86_400_000;

/** Grants once more for so many days from now, with a new revision; what the grant allows stays as it is. */
export async function renewSource(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly name: string; readonly days: string },
): Promise<number> {
  const days = Number(input.days);
  if (!/^\d{1,4}$/.test(input.days) || days < 1 || days > 3650) {
    const refused = problem('invalid_request', 'must be a whole number from 1 to 3650', { at: '--days' });
    return unwrap(terminal, fail(refused), () => 0);
  }
  const expiresAt = new Date(workbench.clock.now().getTime() + days * DAY_MS).toISOString();
  return changeSource(workbench, terminal, {
    name: input.name,
    done: `the grant holds until ${expiresAt}`,
    change: ({ spec }) => ({
      spec: { ...spec, grant: { ...spec.grant, revision: spec.grant.revision + 1, expiresAt } },
    }),
  });
}

/** Removes the source: its grant and, with the last source of the repository, the hook are gone at once; the application runs on. */
export async function removeSource(workbench: Workbench, terminal: Terminal, name: string): Promise<number> {
  return unwrap(terminal, findSource(workbench.store, name), async (source) => {
    const removed = await workbench.store.sources.delete(source.name, source.uid);
    if (!removed.ok) return unwrap(terminal, removed, () => 0);
    const repository = workbench.store.repositories.cached(source.spec.repository);
    const isLast = !workbench.store.sources
      .all()
      .some((other) => other.spec.repository === source.spec.repository && other.uid !== source.uid);
    if (isLast && repository?.spec.webhookSecret !== undefined) {
      const revoked = await workbench.credentials.remove(repository.spec.webhookSecret);
      if (!revoked.ok) return unwrap(terminal, revoked, () => 0);
    }
    terminal.out(
      `removed ${displayApplication(source.spec.application)}: the grant is revoked${isLast ? ' and the webhook no longer answers' : ''}; the application keeps running`,
    );
    return 0;
  });
}

type Change = (source: GitSource) => {
  readonly spec?: GitSource['spec'];
  readonly annotations?: Readonly<Record<string, string>>;
};

async function changeSource(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly name: string; readonly done: string; readonly change: Change },
): Promise<number> {
  return unwrap(terminal, findSource(workbench.store, input.name), async (source) => {
    const written = await workbench.store.sources.update(source.name, input.change);
    return unwrap(terminal, written, () => {
      terminal.out(`${displayApplication(source.spec.application)}: ${input.done}`);
      return 0;
    });
  });
}

function requested(workbench: Workbench, source: GitSource): Readonly<Record<string, string>> {
  return { ...source.annotations, [REQUESTED_AT]: workbench.clock.now().toISOString() };
}

function stateOf(source: GitSource): string {
  if (source.deleting) return 'removing';
  if (source.spec.suspended === true) return 'suspended';
  const ready = source.status.conditions?.find((condition) => condition.type === 'Ready');
  return ready === undefined ? 'new' : ready.status === 'True' ? 'ready' : ready.reason;
}

function publicSource(source: GitSource): object {
  const { name, generation, createdAt, deleting, spec, status } = source;
  return { name, generation, createdAt, deleting, spec, status };
}
