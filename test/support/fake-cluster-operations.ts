import { fail, type Manifest, ok, problem, type Result } from '../../src/kernel/index.ts';
import type {
  ClusterOperations,
  Command,
  DeploymentResult,
  ExecSession,
  ExecSpec,
  LogRequest,
  LogSink,
  RunOptions,
  TerminalSize,
  WorkloadConfiguration,
} from '../../src/ports/cluster-operations/index.ts';
import type { RunKind } from '../../src/ports/index.ts';

const STEPS = {
  apply: { service: 'workload', step: 'apply' },
  deploy: { service: 'web', step: 'create' },
  remove: { service: 'web', step: 'remove' },
} as const;

/** Cluster operations that note what they are asked and answer what a test put there. */
export type FakeClusterOperations = ClusterOperations & {
  readonly calls: { readonly name: string; readonly input: unknown }[];
  /** What `logs` does; at first it writes two lines. */
  readLog: (request: LogRequest, sink: LogSink, signal: AbortSignal | undefined) => Promise<Result<void>>;
  /** What `openExec` answers; at first a program that repeats what is typed, and ends with exit code 3 after `exit`. */
  execute: (spec: ExecSpec) => Promise<Result<ExecSession>>;
  /** What a run does; at first it begins, and succeeds in one step. */
  carryOut: (name: RunKind, options: RunOptions) => Promise<DeploymentResult>;
};

export const CONFIGURATION: WorkloadConfiguration = {
  target: { namespace: 'shop', kind: 'deployment', name: 'web' },
  observedAt: '2026-11-29T12:00:00.000Z',
  resourceVersion: '7',
  replicas: 2,
  paused: false,
  strategy: 'RollingUpdate',
  containers: [
    {
      name: 'app',
      image: 'ghcr.io/acme/shop:1.4',
      command: [],
      args: [],
      env: [{ name: 'TOKEN', secret: 'web-secret/token' }],
      resources: { requests: { cpu: '', memory: '' }, limits: { cpu: '', memory: '' } },
    },
  ],
  initContainers: [],
  envFrom: [],
  managed: false,
  unsupported: [],
};

export function fakeClusterOperations(): FakeClusterOperations {
  const calls: FakeClusterOperations['calls'] = [];
  const note = (name: string, input: unknown): void => void calls.push({ name, input });
  const done = { outcome: 'succeeded', steps: [], services: [] } as const;
  const made: FakeClusterOperations = {
    calls,
    readLog: async (_request, sink) => {
      const first = await sink(Buffer.from('one\n'));
      return first.ok ? sink(Buffer.from('two\n')) : first;
    },
    execute: async () => ok(echo()),
    facts: async () => ({ runtime: 'kubernetes', server_version: 'v1.35.4', platform: 'linux/amd64', node_count: '2' }),
    inspect: async (target) => {
      note('inspect', target);
      return ok({ missing: true });
    },
    logs: (request, sink, signal) => {
      note('logs', request);
      return made.readLog(request, sink, signal);
    },
    openExec: (spec) => {
      note('openExec', spec);
      return made.execute(spec);
    },
    operate: async (command: Command) => {
      note('operate', command);
      return { outcome: 'succeeded', detail: '' };
    },
    readWorkload: async (target) => {
      note('readWorkload', target);
      return ok({ ...CONFIGURATION, target: { ...CONFIGURATION.target, name: target.name } });
    },
    carryOut: async (name, options) => {
      await options.started?.();
      const steps: DeploymentResult['steps'] = [{ ...STEPS[name], outcome: 'succeeded' }];
      return { ...done, steps };
    },
    applyWorkload: (request, options = {}) => {
      note('applyWorkload', request);
      return made.carryOut('apply', options);
    },
    deploy: (request, options = {}) => {
      note('deploy', request);
      return made.carryOut('deploy', options);
    },
    remove: (request, options = {}) => {
      note('remove', request);
      return made.carryOut('remove', options);
    },
    snapshot: async () => ({
      engine: { runtime: 'kubernetes', apiVersion: '1.35' },
      nodes: [],
      namespaces: [{ name: 'shop' }],
      workloads: [
        {
          kind: 'Deployment',
          namespace: 'shop',
          name: 'web',
          uid: 'u',
          desired: 2,
          ready: 1,
          updated: 2,
          images: ['ghcr.io/acme/shop:1.4'],
          paused: false,
        },
      ],
      pods: [],
      services: [{ namespace: 'shop', name: 'web', type: 'ClusterIP', clusterIP: '10.0.0.1', ports: ['80/TCP'] }],
      claims: [],
      storageClasses: [{ name: 'fast', isDefault: true }],
      truncated: ['nodes'],
    }),
  };
  return made;
}

/** A program that repeats what is typed and says its size when that changes; `exit` ends it with 3. */
export function echo(): ExecSession & { readonly sizes: TerminalSize[] } {
  const output: Uint8Array[] = [];
  const sizes: TerminalSize[] = [];
  let wake = (): void => {};
  let exitCode: number | undefined;
  let isClosed = false;
  const put = (text: string): void => {
    output.push(Buffer.from(text));
    wake();
  };
  return {
    sizes,
    read: async () => {
      for (;;) {
        const chunk = output.shift();
        if (chunk !== undefined) return ok(chunk);
        if (isClosed) return fail(problem('exec_closed'));
        if (exitCode !== undefined) return ok(undefined);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    write: async (chunk) => {
      if (isClosed) return fail(problem('exec_closed'));
      const text = Buffer.from(chunk).toString();
      if (text === 'exit') {
        exitCode = 3;
        wake();
      } else put(`you said ${text}`);
      return ok(undefined);
    },
    resize: (size) => {
      sizes.push(size);
      put(`${size.rows}x${size.columns}`);
      return ok(undefined);
    },
    inspect: () => (exitCode === undefined ? { running: !isClosed } : { running: false, exitCode }),
    close: () => {
      isClosed = true;
      wake();
    },
  };
}

/** A pod of a service as the API server lists it. */
export function podOf(id: string, over: { readonly name: string; readonly [field: string]: unknown }): Manifest {
  const { name, phase = 'Running', createdAt = '2026-11-29T12:00:00Z', containers = ['app'] } = over;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: `hp-${id}`,
      uid: '0f8fad5b-d9cb-469f-a165-70867728950e',
      creationTimestamp: String(createdAt),
    },
    spec: { containers: (containers as string[]).map((container) => ({ name: container })) },
    status: { phase },
  };
}
