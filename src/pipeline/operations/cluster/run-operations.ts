import type { Principal } from '../../../access/index.ts';
import { fail, ok, type Problem, problem, type Result } from '../../../kernel/index.ts';
import {
  type ClusterApiOperations,
  type ClusterRunAnswer,
  deploymentOf,
  fromSnake,
  type RequestInfo,
  removalOf,
  runAnswer,
  snakePath,
} from '../../../ports/api/index.ts';
import {
  type DeploymentResult,
  parseDeploymentRequest,
  parseRemovalRequest,
  parseWorkloadApply,
  type RunOptions,
} from '../../../ports/cluster-operations/index.ts';
import type { ClusterRun } from '../../../ports/index.ts';
import { audited } from '../audited.ts';
import { type ClusterDeps, clusterAdmin } from './context.ts';
import { granted, grantedForOthers } from './grants.ts';
import { resourceOf } from './workloads.ts';

type Named = 'apply' | 'deploy' | 'takeDown' | 'run';
/** Who asks, in the words of the requests; there is one cluster. */
const ENDPOINT = 'hakopod';

/** What takes a while and is done once: an administrator's, kept as runs, and on record when it is asked for and when it has ended. */
export function runOperations(deps: ClusterDeps): Pick<ClusterApiOperations, Named> {
  return {
    apply: (principal, input, info) => apply(deps, { principal, info, input }),
    deploy: async (principal, input, info) => {
      const asked = deploymentOf(input);
      const parts = { kind: 'deploy', parse: parseDeploymentRequest, execute: deps.operations.deploy } as const;
      return onInstance(deps, { principal, info, input, asked, ...parts });
    },
    takeDown: async (principal, input, info) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      if (input.confirm_name !== input.project)
        return fail(problem('invalid_request', 'is not the name of the project', { at: 'confirm_name' }));
      const asked = removalOf(input);
      const parts = { kind: 'remove', parse: parseRemovalRequest, execute: deps.operations.remove } as const;
      return onInstance(deps, { principal, info, input, asked, ...parts });
    },
    run: async (principal, { id }) => {
      const may = clusterAdmin(principal);
      if (!may.ok) return may;
      return answered(await deps.runs.read(id));
    },
  };
}

type By = { readonly principal: Principal; readonly info: RequestInfo };
type OnInstance = By & {
  readonly kind: 'deploy' | 'remove';
  readonly input: {
    readonly request_id?: string | undefined;
    readonly project: string;
    readonly target: { readonly namespace: string };
    readonly timeout_seconds: number;
  };
  /** The request without who asks and when, which is ours to say. */
  readonly asked: object;
  readonly parse: (request: unknown, now: Date) => Result<unknown>;
  readonly execute: (request: unknown, options: RunOptions) => Promise<DeploymentResult>;
};

async function onInstance(deps: ClusterDeps, wanted: OnInstance): Promise<Result<ClusterRunAnswer>> {
  const { kind, input, asked, parse, execute, ...by } = wanted;
  const may = clusterAdmin(by.principal);
  if (!may.ok) return may;
  const { namespace } = input.target;
  const place = grantedForOthers(deps, namespace);
  if (!place.ok) return place;
  const requestId = input.request_id ?? deps.random.hex(16);
  const times = timesOf(deps, input.timeout_seconds);
  const request = { ...asked, deployment: uuidOf(deps.random.hex(16)), requestId, endpoint: ENDPOINT, ...times };
  const parsed = parse(request, deps.clock.now());
  if (!parsed.ok) return fail(inSnake(parsed.problem));
  const resource = { kind: 'ClusterDeployment', name: `${namespace}/${input.project}` };
  const begun = await deps.runs.begin({
    spec: { id: requestId, kind, namespace, name: input.project, deadline: times.deadline, ...byOf(by) },
    asked,
    execute: (options) => execute(request, options),
    onRecord: (run) => record(deps, by, { action: `cluster.${kind}`, resource, run }),
  });
  return answered(begun);
}

/** Of the adapter's request the person names the configuration. An application's own workload is refused before anything begins. */
async function apply(
  deps: ClusterDeps,
  { principal, info, input }: By & { readonly input: Parameters<ClusterApiOperations['apply']>[1] },
): Promise<Result<ClusterRunAnswer>> {
  const may = clusterAdmin(principal);
  if (!may.ok) return may;
  const { namespace, kind, name, create } = input;
  const place = create ? grantedForOthers(deps, namespace) : granted(deps, namespace);
  if (!place.ok) return place;
  const target = { namespace, kind, name };
  if (!create) {
    const read = await deps.operations.readWorkload(target);
    if (read.ok && read.value.managed) return fail(problem('application_managed'));
  }
  const { observedAt: _, ...spec } = fromSnake(input.configuration) as Readonly<Record<string, unknown>>;
  const id = input.request_id ?? uuidOf(deps.random.hex(16));
  const times = timesOf(deps, input.timeout_seconds);
  const asked = { target, resourceVersion: spec.resourceVersion, spec, create };
  const request = { ...asked, request: id, endpoint: ENDPOINT, ...times };
  const parsed = parseWorkloadApply(request, deps.clock.now());
  if (!parsed.ok)
    return fail(problem('invalid_request', 'is not a configuration of this workload', { at: 'configuration' }));
  const by = { principal, info };
  const begun = await deps.runs.begin({
    spec: { id, kind: 'apply', namespace, name: `${kind}/${name}`, deadline: times.deadline, ...byOf(by) },
    asked,
    execute: (options) => deps.operations.applyWorkload(request, options),
    onRecord: (run) =>
      record(deps, by, { action: create ? 'workload.create' : 'workload.apply', resource: resourceOf(target), run }),
  });
  return answered(begun);
}

/** A run is on record twice: as it is asked for, and as it ended. What was asked may hold secrets; not even its digest is kept there. */
function record(
  deps: ClusterDeps,
  by: By,
  {
    run,
    action,
    resource,
  }: { readonly action: string; readonly resource: ReturnType<typeof resourceOf>; run: ClusterRun },
): Promise<void> {
  const { state, outcome, code } = run.status;
  if (state !== 'ended') return audited(deps, by, { action, resource });
  return audited(deps, by, {
    action: `${action}.end`,
    resource,
    after: { outcome: outcome ?? null, code: code ?? null },
  });
}

function answered(run: Result<ClusterRun>): Result<ClusterRunAnswer> {
  return run.ok ? ok(runAnswer(run.value)) : run;
}

/** The field at fault as the wire calls it. */
function inSnake(problem: Problem): Problem {
  return problem.at === undefined ? problem : { ...problem, at: snakePath(problem.at) };
}

function byOf({ principal }: By) {
  const { identity, key } = principal;
  return { identity, ...(key === undefined ? {} : { key: key.id }) };
}

function timesOf({ clock }: ClusterDeps, seconds: number): { readonly issuedAt: string; readonly deadline: string } {
  const now = clock.now();
  return { issuedAt: now.toISOString(), deadline: new Date(now.getTime() + seconds * 1000).toISOString() };
}

/** 32 hex digits in the form of a random UUID (RFC 9562, version 4). */
function uuidOf(hex: string): string {
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const text = `${hex.slice(0, 12)}4${hex.slice(13, 16)}${variant}${hex.slice(17, 32)}`;
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}
