import type { Manifest, Result } from '../kernel/index.ts';

/** What the demo needs of the wiring: real parts, started for it alone. */
export type DemoParts = {
  /** The embedded cluster, or the one of `--kubeconfig`. */
  startCluster(): Promise<{
    readonly kubeconfig: string;
    /** The same for kubectl, which sends no token over plain HTTP. */
    readonly kubectlConfig: string;
    readonly embedded: boolean;
    stop(): Promise<void>;
  }>;
  startRedis(): Promise<Result<{ readonly url: string; stop(): Promise<void> }>>;
  /** Runs `hakopod serve` as a process of its own with these settings; resolves when it is ready. */
  startServe(settings: Readonly<Record<string, string>>): Promise<{ stop(): Promise<void> }>;
  /** Runs one `hakopod` command and answers its exit code and output. */
  cli(args: readonly string[], input?: string): Promise<{ readonly code: number; readonly out: string }>;
  /** A registry for built images, or `undefined` when this machine can not build (or the cluster could not pull from it). */
  startBuildRegistry(folder: string): Promise<{ readonly host: string; stop(): Promise<void> } | undefined>;
  /** All objects of one namespace that belong to Hakopod. */
  objects(kubeconfig: string, namespace: string): Promise<Result<readonly Manifest[]>>;
  readonly print: (line: string) => void;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Random hex, for delivery ids and secrets. */
  readonly hex: (bytes: number) => string;
  /** Environment for git processes. */
  readonly environment: Readonly<Record<string, string>>;
  readonly keep: boolean;
  /** Resolves when a person ends a demo that was kept. */
  readonly untilStopped: () => Promise<void>;
};
