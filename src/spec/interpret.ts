import type { Application } from './application.ts';
import { check } from './check.ts';
import { missingHook, translateIssues } from './issues.ts';
import { Known } from './known.ts';
import { normalise } from './normalise.ts';
import type { Finding } from './path.ts';
import type { UnknownKeys } from './report.ts';
import { ServiceFile, SpecFile } from './schema.ts';
import { isTable, type Table } from './tables.ts';

type Outcome = {
  /** Absent when the schema refused something. */
  readonly application?: Application;
  readonly findings: readonly Finding[];
  readonly unknown: UnknownKeys;
  readonly warnings: readonly Finding[];
};

/**
 * Schema, normalising and checks over a raw document. Where the schema refuses fields, the checks still run over the rest, so that one
 * pass reports every independent problem; a check that reads a refused field is left out.
 */
export function interpret(raw: unknown): Outcome {
  const parsed = SpecFile.safeParse(raw, { error: missingHook });
  if (parsed.success) {
    const application = normalise(parsed.data);
    const findings = check({ application, file: parsed.data, known: new Known([]) });
    return { application, findings, unknown: { listed: [], count: 0 }, warnings: ignored(parsed.data) };
  }
  const { findings, unknown, unknownCount } = translateIssues(parsed.error.issues);
  const rest = checkWhatRemains(raw, [...findings, ...unknown]);
  return {
    findings: [...findings, ...rest],
    unknown: { listed: unknown, count: unknownCount },
    warnings: [],
  };
}

/** Fields that are accepted for the sake of files made for other installations. */
function ignored(file: SpecFile): readonly Finding[] {
  return Object.entries(file.services)
    .filter(([, service]) => service.database_client_profiles !== undefined)
    .map(([name]) => ({
      path: ['services', name, 'database_client_profiles'],
      message: 'is accepted but has no effect here',
    }));
}

function checkWhatRemains(raw: unknown, refused: readonly Finding[]): readonly Finding[] {
  if (!isTable(raw) || !isTable(raw.services)) return [];
  const known = new Known(refused);
  if (!known.root('services')) return [];
  const rest = SpecFile.safeParse(withoutRefused(raw, known));
  if (!rest.success) return [];
  return check({ application: normalise(rest.data), file: rest.data, known });
}

/** A copy of the document without refused and unknown fields. Services that are refused whole are left out. */
function withoutRefused(raw: Table, known: Known): Table {
  const roots = Object.keys(SpecFile.shape).filter((key) => Object.hasOwn(raw, key) && known.root(key));
  const services = isTable(raw.services) ? Object.entries(raw.services) : [];
  return {
    ...Object.fromEntries(roots.map((key) => [key, raw[key]])),
    // the name is wanted, and no check reads it when it is refused
    ...(known.root('name') ? {} : { name: 'a' }),
    services: Object.fromEntries(
      services.flatMap(([name, service]) =>
        isTable(service) && known.service(name) ? [[name, withoutFields(service, known.refused(name))]] : [],
      ),
    ),
  };
}

function withoutFields(table: Table, refused: ReadonlySet<string>): Table {
  return Object.fromEntries(
    Object.keys(ServiceFile.shape)
      .filter((field) => Object.hasOwn(table, field) && !refused.has(field))
      .map((field) => [field, table[field]]),
  );
}
