import { fail, type Manifest, ok, problem, type Result, refOf } from '../../kernel/index.ts';
import type { Release } from '../../ports/index.ts';
import { secretsInUse } from '../../reconcile/index.ts';
import { allObjects, renderApplication } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Run } from '../context.ts';
import { unpackSpec } from '../release-body.ts';
import { renderOptions } from './options.ts';
import { readLive, type Session, saveInventory } from './session.ts';
import { writeObject } from './write.ts';

/**
 * Compares an application at rest with its last release and writes only where they differ: what a person or another controller changed by
 * hand goes, what was deleted comes back. Runs no job, reads no new secret value (running pods keep the values of their release) and
 * waits for nothing.
 */
export async function maintain(session: Session, release: Release, run: Run): Promise<Result<void>> {
  const desired = unpackSpec(release.spec.spec);
  if (!desired.ok) return desired;
  const live = await readLive(session);
  if (!live.ok) return live;
  const application = session.deps.store.applications.cached(session.application);
  if (application === undefined) return ok(undefined);
  const { project, environment, name } = application.spec;
  const rendered = renderApplication({
    application: desired.value,
    key: { project, environment, name },
    id: session.id,
    revision: release.spec.revision,
    operation: release.name,
    images: release.status.resolved ?? {},
    secrets: recordedSecrets(session, desired.value),
    snapshotKey: session.deps.options.snapshotKey,
    creationId: release.name,
    options: renderOptions(session.deps.options),
  });
  // A snapshot somebody deleted can only come back with a release, because its values may have changed since.
  if (!rendered.ok) return rendered.problem.code === 'missing_secrets' ? ok(undefined) : rendered;

  let changed = 0;
  for (const manifest of allObjects(rendered.value).filter(({ kind }) => kind !== 'Job')) {
    if (session.lease.signal.aborted) return fail(problem('lease_lost'));
    if (run.signal.aborted) return fail(problem('worker_stopping', undefined, { afterMs: 0 }));
    const written = await writeObject(session, manifest, release.name);
    if (!written.ok) return written;
    if (written.value !== 'unchanged') {
      changed += 1;
      session.deps.log.warn('drift removed', {
        application: session.application,
        object: `${manifest.kind}/${manifest.metadata.name}`,
        write: written.value,
      });
    }
  }
  if (changed > 0) session.deps.metrics.stage('drift', 'corrected', 0);
  const saved = await saveInventory(session);
  return saved.ok ? ok(undefined) : saved;
}

/** The values each service runs with, from the snapshot its workload names. */
function recordedSecrets(
  session: Session,
  desired: Application,
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const secrets = session.inventory.all().filter((object) => object.kind === 'Secret' && owned(session, object));
  const used = secretsInUse(session.inventory.all());
  return Object.fromEntries(
    Object.keys(desired.services).map((service) => {
      const mine = secrets.filter((secret) => secret.metadata.labels?.['hakopod.io/service'] === service);
      const data = (mine.find((secret) => used.has(secret.metadata.name)) ?? mine[0])?.data;
      return [service, typeof data === 'object' && data !== null ? (data as Readonly<Record<string, string>>) : {}];
    }),
  );
}

function owned(session: Session, object: Manifest): boolean {
  const { kind, name } = refOf(object);
  return session.inventory.entries.some(
    (entry) => entry.kind === kind && entry.name === name && entry.uid === object.metadata.uid,
  );
}
