import { type ApplicationKey, fail, LIMITS, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import { targetServices } from '../../../plan/index.ts';
import type { PlanRequest } from '../../../ports/api/index.ts';
import { type Application, type ParseResult, parseSpec, parseSpecJson } from '../../../spec/index.ts';
import { importedNames } from '../../spec-at-commit.ts';
import type { Current } from './accept.ts';
import type { ReleaseDeps } from './context.ts';

/** What a request wants an application to be. */
export type Desired = { readonly application: Application; readonly images: Readonly<Record<string, string>> };

/** A request's specification, where it is for, and the sensitive entries of its env files. */
export type Read = {
  readonly key: ApplicationKey;
  readonly application: Application;
  readonly imported: readonly { readonly ref: string; readonly value: string }[];
};

/**
 * Reads the specification of a request: exactly one of `spec` and `toml`, env files with TOML only (facts 6.1). The first problem is the
 * refusal. Codes: `invalid_spec` and those of parsing.
 */
export function readRequest(deps: Pick<ReleaseDeps, 'options'>, request: PlanRequest): Result<Read> {
  const { spec, toml, env_files: envFiles } = request;
  if ((spec === undefined) === (toml === undefined))
    return fail(problem('invalid_spec', 'send exactly one of spec and toml'));
  if (toml === undefined && envFiles !== undefined)
    return fail(problem('invalid_spec', 'env files go with a TOML specification only', { at: 'env_files' }));
  if (toml !== undefined && Buffer.byteLength(toml) > LIMITS.specBytes) return fail(problem('spec_too_large'));
  const keyOf = ({ name }: Application): ApplicationKey => ({
    project: request.project,
    environment: request.environment,
    name,
  });
  const first = toml === undefined ? parseSpecJson(spec) : parseSpec(toml, { envFiles: envFiles ?? {} });
  if (!first.ok || toml === undefined || first.imported.length === 0) return read(first, keyOf);
  // The names of imported secrets follow from the application's own name, which is known only now.
  const secretName = importedNames(deps.options.snapshotKey, keyOf(first.application));
  return read(parseSpec(toml, { envFiles: envFiles ?? {}, secretName }), keyOf);
}

function read(parsed: ParseResult, keyOf: (application: Application) => ApplicationKey): Result<Read> {
  if (!parsed.ok) return fail(parsed.problems[0] ?? problem('invalid_spec'));
  const { application, imported } = parsed;
  return ok({ key: keyOf(application), application, imported });
}

/** Narrows the request to the services it names (facts 6.1), if it names any. */
export function desiredOf(request: PlanRequest, application: Application, current: Current): Result<Desired> {
  const targets = targetsOf(request);
  if (!targets.ok) return targets;
  if (targets.value === undefined) return ok({ application, images: {} });
  if (current.spec === undefined) return fail(refusedTarget('a new application is released as a whole'));
  const [latest] = current.releases;
  return targetServices({
    desired: application,
    accepted: current.spec,
    resolved: latest?.status.resolved ?? {},
    services: targets.value,
  });
}

function targetsOf({ service, services }: PlanRequest): Result<readonly string[] | undefined> {
  if (service !== undefined && services !== undefined) return fail(refusedTarget('send service or services, not both'));
  return ok(service === undefined ? services : [service]);
}

function refusedTarget(message: string): Problem {
  return problem('invalid_service', message, { at: 'services' });
}
