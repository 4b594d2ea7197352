import { displayApplication } from '../kernel/index.ts';
import type { Application } from '../ports/index.ts';
import { type Terminal, table, unwrap } from './io.ts';
import { parseApplication } from './names.ts';
import type { Workbench } from './workbench.ts';

/** All applications in a line each, or one with its services and releases. */
export async function showStatus(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly app: string | undefined; readonly json: boolean },
): Promise<number> {
  const applications = [...workbench.store.applications.all()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (input.app === undefined) return listApplications(applications, terminal, input.json);
  return unwrap(terminal, parseApplication(input.app), async (key) => {
    const application = applications.find(
      (candidate) => displayApplication(candidate.spec) === displayApplication(key),
    );
    if (application === undefined) {
      terminal.err('error: there is no such application [not_found]');
      return 2;
    }
    return showApplication(workbench, terminal, { application, json: input.json });
  });
}

function listApplications(applications: readonly Application[], terminal: Terminal, json: boolean): number {
  if (json) {
    terminal.out(
      JSON.stringify(
        applications.map(({ name, spec, status }) => ({ name, spec, status })),
        undefined,
        2,
      ),
    );
    return 0;
  }
  const rows = applications.map(({ spec, status }) => [
    displayApplication(spec),
    String(status.revision ?? '-'),
    status.phase ?? 'new',
    (status.services ?? []).map((service) => `${service.name} ${service.status}`).join(', '),
  ]);
  for (const line of table(['APPLICATION', 'REVISION', 'STATE', 'SERVICES'], rows)) terminal.out(line);
  return 0;
}

async function showApplication(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly application: Application; readonly json: boolean },
): Promise<number> {
  const { spec, status, name } = input.application;
  return unwrap(terminal, await workbench.store.releases.ofApplication(name), (releases) => {
    const history = releases.map((release) => ({
      revision: release.spec.revision,
      state: release.status.state ?? 'queued',
      commit: release.spec.origin.commit,
      code: release.status.code,
      message: release.status.message,
      finishedAt: release.status.finishedAt,
      steps: release.status.steps,
    }));
    if (input.json) {
      terminal.out(JSON.stringify({ name, spec, status, releases: history }, undefined, 2));
      return 0;
    }
    terminal.out(
      `${displayApplication(spec)}: ${status.phase ?? 'new'}, revision ${status.revision ?? '-'}, namespace hp-${spec.id}`,
    );
    const services = (status.services ?? []).map((s) => [
      s.name,
      s.status,
      s.desired === undefined ? '-' : `${s.ready ?? 0}/${s.desired}`,
      s.url ?? '-',
      s.message ?? '',
    ]);
    for (const line of table(['SERVICE', 'STATE', 'READY', 'URL', 'MESSAGE'], services)) terminal.out(line);
    terminal.out('');
    const rows = history.map((release) => [
      String(release.revision),
      release.state,
      release.commit?.slice(0, 12) ?? '-',
      release.finishedAt ?? '-',
      release.message ?? '',
    ]);
    for (const line of table(['RELEASE', 'STATE', 'COMMIT', 'FINISHED', 'MESSAGE'], rows)) terminal.out(line);
    return 0;
  });
}
