import { LOCAL, type Permission, type Principal, type Scope } from '../../src/access/index.ts';
import type { Result } from '../../src/kernel/index.ts';
import type { ReleaseDeps } from '../../src/pipeline/operations/deployments/context.ts';
import { deploymentOperations } from '../../src/pipeline/operations/deployments/operations.ts';
import { createPager } from '../../src/pipeline/operations/page.ts';
import type { DeploymentOperations, RequestInfo } from '../../src/ports/api/index.ts';
import type { AuditEvent, Project, Release } from '../../src/ports/index.ts';
import { type Memory, memory, memoryCollection } from './memory.ts';

export const INFO: RequestInfo = { id: 'f'.repeat(32), origin: 'api' };

/** A key's principal with these permissions in this scope; the identity holds the same. */
export function keyed(permissions: readonly Permission[], scope: Scope = {}, id = 'a'): Principal {
  return {
    identity: 'ada',
    kind: 'person',
    holds: { permissions, scope, roles: [] },
    key: { id: id.repeat(32), kind: 'machine', permissions, scope },
  };
}

/** The operations on releases over the pipeline's world in memory. */
export type ReleaseApi = {
  readonly world: Memory;
  readonly deps: ReleaseDeps;
  readonly operations: DeploymentOperations;
  readonly audited: AuditEvent[];
  patchesEnabled: boolean;
  /** Plans and deploys this text at the current revision. */
  deploy(toml: string, options?: DeployOptions): ReturnType<DeploymentOperations['create']>;
  /** Ends a release as a worker would. */
  end(id: string, state: 'succeeded' | 'failed', resolved?: Readonly<Record<string, string>>): Promise<void>;
  release(id: string): Release | undefined;
};

type DeployOptions = {
  readonly key?: string;
  readonly expected?: number;
  readonly principal?: Principal;
  readonly services?: readonly string[];
};

/** `source`: the application and its Git source exist, as in `memory`. */
export async function releaseApi(options: { readonly source?: boolean } = {}): Promise<ReleaseApi> {
  const world = await memory();
  if (options.source !== true) {
    world.applications.items.clear();
    world.sources.items.clear();
  }
  const audited: AuditEvent[] = [];
  const api = { world, audited, patchesEnabled: false } as unknown as ReleaseApi;
  const deps = {
    ...world.deps,
    projects: memoryCollection<Project>(),
    settings: {
      cached: () => ({ value: { enabled: api.patchesEnabled }, revision: 0 }),
    } as unknown as ReleaseDeps['settings'],
    audit: {
      append: async (event: AuditEvent) => {
        audited.push(event);
      },
    } as unknown as ReleaseDeps['audit'],
    pager: createPager('test'),
    limits: { applicationsPerEnvironment: 200, environmentsPerProject: 32 },
  };
  const operations = deploymentOperations(deps);
  let keys = 0;
  return Object.assign(api, {
    deps,
    operations,
    deploy: async (toml: string, wish: DeployOptions = {}) => {
      const { principal = LOCAL, services } = wish;
      keys += 1;
      const target = { project: 'acme', environment: 'production', toml };
      const planned = wish.expected === undefined ? await operations.plan(principal, target, INFO) : undefined;
      return operations.create(
        principal,
        {
          ...target,
          ...(services === undefined ? {} : { services: [...services] }),
          expected_revision: wish.expected ?? (planned?.ok === true ? planned.value.expected_revision : 0),
          idempotency_key: wish.key ?? `key-number-${keys}`,
        },
        INFO,
      );
    },
    end: async (id: string, state: 'succeeded' | 'failed', resolved?: Readonly<Record<string, string>>) => {
      await world.deps.store.releases.updateStatus(id, (current) => ({
        ...current.status,
        state,
        finishedAt: world.now.toISOString(),
        ...(resolved === undefined ? {} : { resolved: { ...resolved } }),
      }));
    },
    release: (id: string) => world.releases.items.get(id),
  });
}

/** The value of a success; a failure fails the test with its words. */
export function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.problem.code} ${result.problem.at ?? ''}: ${result.problem.message}`);
  return result.value;
}

/** The code of a failure, or `ok`. */
export function codeOf(result: Result<unknown>): string {
  return result.ok ? 'ok' : result.problem.code;
}
