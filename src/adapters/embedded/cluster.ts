import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { stringify } from 'yaml';
import type { Manifest } from '../../kernel/index.ts';
import type { Denial } from './access.ts';
import type { Behaviours } from './behaviour.ts';
import { bootstrap } from './bootstrap.ts';
import { CONTROLLERS, ControllerManager, DELAYS, type Delays } from './controllers/index.ts';
import { resourcesOf } from './crds.ts';
import { type FaultHook, RequestCounter, type RequestCounts } from './faults.ts';
import type { AdmissionHook, Machine, Validator } from './machine.ts';
import { Printer } from './print.ts';
import type { OpenLists } from './read.ts';
import { builtIn, Registry } from './resources.ts';
import { buildServer } from './server.ts';
import { ObjectStore } from './store.ts';
import { WatchHub } from './watch.ts';
import { create } from './write.ts';

/** What a stopped server hands to the next one. */
export type EmbeddedState = { readonly version: number; readonly token: string; readonly objects: readonly Manifest[] };

export type EmbeddedOptions = {
  /** Default: any free port. */
  readonly port?: number;
  readonly crds?: readonly Manifest[];
  readonly behaviour?: Behaviours;
  /** Changes kept for watches; at least this many (default 20,000). */
  readonly history?: number;
  readonly now?: () => Date;
  /** Added to every answer. */
  readonly latencyMs?: number;
  readonly delays?: Partial<Delays>;
  /** Milliseconds between bookmarks (default 10,000). */
  readonly bookmarkMs?: number;
  /** By `group/Kind`: stands in for the CEL rules of a CRD, which are not evaluated. */
  readonly validators?: Readonly<Record<string, Validator>>;
  readonly admit?: AdmissionHook;
  readonly deny?: readonly Denial[];
  /** Carries on where an earlier server stopped: same objects, versions and token; the watch history is lost. */
  readonly state?: EmbeddedState;
};

export type EmbeddedCluster = {
  readonly url: string;
  readonly token: string;
  /** YAML, with the token. */
  readonly kubeconfig: string;
  /** The same for kubectl, which sends no token over plain HTTP: the token is in the URL. */
  readonly kubectlConfig: string;
  /** Closes every connection at once. */
  stop(): Promise<void>;
  /** All stored objects, of all kinds. */
  objects(): readonly Manifest[];
  /** Replaces all told behaviours; pods that run already follow. */
  setBehaviour(behaviours: Behaviours): void;
  /** Replaces the admission hook; `undefined` admits everything. */
  setAdmission(hook: AdmissionHook | undefined): void;
  /** Replaces the list of denied verbs. */
  setDenied(denials: readonly Denial[]): void;
  requests(): RequestCounts;
  resetRequests(): void;
  /** Ends all watches: `end` closes the streams as a timeout does, `cut` breaks the connections. */
  closeWatches(how?: 'end' | 'cut'): void;
  watches(): number;
  /** Forgets the history: older watches are refused with 410, as an ERROR event (what the API server does) or as an HTTP status. */
  compact(goneAs?: 'event' | 'status'): void;
  /** Chooses requests to fail; `undefined` stops that. */
  fault(hook: FaultHook | undefined): void;
  exportState(): EmbeddedState;
};

function kubeconfigOf(server: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'embedded', user: { token } }],
    contexts: [{ name: 'embedded', context: { cluster: 'embedded', user: 'embedded', namespace: 'default' } }],
    'current-context': 'embedded',
  });
}

const DEFINITIONS = builtIn('customresourcedefinitions');

/** Serves the resource of each CustomResourceDefinition from the moment it is stored until it goes, when its objects go too. */
function followDefinitions(machine: Machine): void {
  machine.store.onChange((change) => {
    if (change.info.storage !== DEFINITIONS.storage) return;
    for (const info of change.previous === undefined ? [] : resourcesOf(change.previous)) machine.registry.remove(info);
    if (change.type !== 'DELETED') for (const info of resourcesOf(change.object)) machine.registry.add(info);
    else {
      for (const info of resourcesOf(change.object)) {
        for (const object of machine.store.list(info)) machine.store.remove(info, object);
      }
    }
  });
}

function restore(machine: Machine, state: EmbeddedState): void {
  const definitions = state.objects.filter(({ kind }) => kind === DEFINITIONS.kind);
  for (const info of definitions.flatMap(resourcesOf)) machine.registry.add(info);
  for (const object of state.objects) {
    const info = machine.registry.ofKind(object.apiVersion, object.kind);
    if (info !== undefined) machine.store.restore(info, object);
  }
}

/**
 * Starts a Kubernetes API server of version 1.35 with simulated controllers on 127.0.0.1. For the demo and tests; what it keeps lives
 * as long as the process.
 */
export async function startEmbeddedCluster(options: EmbeddedOptions = {}): Promise<EmbeddedCluster> {
  const store = new ObjectStore({ history: options.history ?? 20_000, version: options.state?.version ?? 1 });
  const machine: Machine = {
    store,
    registry: new Registry(),
    now: options.now ?? (() => new Date()),
    hooks: { admit: undefined },
    validators: options.validators ?? {},
  };
  const control = {
    behaviours: options.behaviour ?? {},
    denials: options.deny ?? [],
    fault: undefined as FaultHook | undefined,
    goneAs: 'event' as 'event' | 'status',
  };
  if (options.state !== undefined) restore(machine, options.state);
  followDefinitions(machine);
  const printer = new Printer();
  const hub = new WatchHub(machine, printer, options.bookmarkMs ?? 10_000);
  const manager = new ControllerManager(machine, CONTROLLERS, {
    delays: { ...DELAYS, ...options.delays },
    behaviours: () => control.behaviours,
  });
  bootstrap(machine);
  const definitionOptions = {
    dryRun: false,
    manager: 'embedded',
    validation: 'Ignore',
    subresource: undefined,
  } as const;
  for (const body of options.crds ?? []) {
    if (store.get(DEFINITIONS, undefined, body.metadata.name) === undefined) {
      create(machine, { info: DEFINITIONS, namespace: undefined }, { body, options: definitionOptions });
    }
  }
  manager.resume();
  machine.hooks.admit = options.admit;
  const counter = new RequestCounter();
  const open: OpenLists = new Map();
  const token = options.state?.token ?? randomBytes(24).toString('hex');
  const server = buildServer({
    machine,
    printer,
    open,
    token,
    hub,
    counter,
    denials: () => control.denials,
    fault: () => control.fault,
    behaviours: () => control.behaviours,
    latencyMs: options.latencyMs ?? 0,
    goneAs: () => control.goneAs,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const objects = (): readonly Manifest[] => store.all().map(({ object }) => object);
  return {
    url,
    token,
    kubeconfig: kubeconfigOf(url, token),
    kubectlConfig: kubeconfigOf(url.replace('//', `//embedded:${token}@`), token),
    stop: async () => {
      manager.stop();
      hub.stop();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeAllConnections();
      await closed;
    },
    objects,
    setBehaviour: (behaviours) => {
      control.behaviours = behaviours;
      manager.resume();
    },
    setAdmission: (hook) => {
      machine.hooks.admit = hook;
    },
    setDenied: (denials) => {
      control.denials = denials;
    },
    requests: () => counter.read(),
    resetRequests: () => counter.reset(),
    closeWatches: (how = 'end') => hub.closeAll(how),
    watches: () => hub.size,
    compact: (goneAs = 'event') => {
      control.goneAs = goneAs;
      open.clear();
      store.compact();
    },
    fault: (hook) => {
      control.fault = hook;
    },
    exportState: () => ({ version: store.version, token, objects: objects() }),
  };
}
