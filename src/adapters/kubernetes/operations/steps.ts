import { at, type Result } from '../../../kernel/index.ts';
import {
  type DeployedService,
  type DeploymentResult,
  OPERATION_LIMITS,
  RequestId,
  type RunOptions,
  type Step,
  type StepName,
  Uuid,
} from '../../../ports/cluster-operations/index.ts';
import type { StepFailure } from './classify.ts';
import { type Context, openContext } from './context.ts';
import type { OperationDeps } from './deps.ts';

/** What a step came to: undefined when it succeeded. */
export type StepEnd = StepFailure | 'skipped' | undefined;

/** The steps of one run. Once one fails, every later one is recorded as skipped without being carried out (cluster operations 0.3). */
export class Run {
  readonly context: Context;
  /** The caller's own signal, for what still has to be done when the time of the run is over. */
  readonly caller: AbortSignal | undefined;
  readonly #options: RunOptions;
  readonly #steps: Step[] = [];
  readonly #services = new Map<string, DeployedService>();
  #failure: StepFailure | undefined;
  #hasStarted = false;

  constructor(context: Context, options: RunOptions) {
    this.context = context;
    this.caller = options.signal;
    this.#options = options;
  }

  /** Why the run has failed, once it has. */
  get failure(): StepFailure | undefined {
    return this.#failure;
  }

  /** Carries a step out, unless an earlier one failed. */
  async step(service: string, step: StepName, body: () => Promise<StepEnd>): Promise<StepEnd> {
    const end = this.#failure === undefined ? await body() : 'skipped';
    return this.record(service, step, end);
  }

  /** Records a step that was carried out whatever happened before. Only the first failure decides the outcome of the run. */
  record(service: string, step: StepName, end: StepEnd, detail?: string): StepEnd {
    if (end === undefined) this.#steps.push({ service, step, outcome: 'succeeded' });
    else if (end === 'skipped')
      this.#steps.push({ service, step, outcome: 'skipped', ...(detail === undefined ? {} : { detail }) });
    else {
      this.#failure ??= end;
      this.#steps.push({ service, step, ...bounded(end) });
    }
    return end;
  }

  /** To be awaited before each write: tells the caller once that from here on something may have happened. */
  async started(): Promise<void> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    await this.#options.started?.();
  }

  deployed(service: DeployedService): void {
    this.#services.set(service.service, service);
  }

  /** What was deployed of a service does not stand any more. */
  undone(service: string): void {
    this.#services.delete(service);
  }

  result(head: Head): DeploymentResult {
    const ended = { steps: this.#steps, services: [...this.#services.values()] };
    if (this.#failure === undefined) return { ...head, outcome: 'succeeded', ...ended };
    return { ...head, outcome: this.#failure.outcome, code: 'step_failed', ...ended };
  }
}

/** A detail over the limit would be none of the vocabulary's; it is left out rather than cut. */
function bounded(end: StepFailure): StepFailure {
  const { outcome, code, detail } = end;
  return detail === undefined || Buffer.byteLength(detail) <= OPERATION_LIMITS.detailBytes ? end : { outcome, code };
}

type Head = { readonly deployment?: string; readonly requestId?: string };

/** A request of one of the three runs: how it is validated, and which field is its id. */
export type RunKind<Request> = {
  readonly parse: (input: unknown, now: Date) => Result<Request>;
  readonly id: 'deployment' | 'request';
};

/**
 * Validates a request and carries out its steps within its deadline. One that is not valid has no steps: denied `invalid_request`, or failed
 * `clock_skew`.
 */
export async function runSteps<Request extends { readonly deadline: string }>(
  { clock }: Pick<OperationDeps, 'clock'>,
  kind: RunKind<Request>,
  { input, options = {} }: { readonly input: unknown; readonly options?: RunOptions | undefined },
  body: (request: Request, run: Run) => Promise<void>,
): Promise<DeploymentResult> {
  const now = clock.now();
  const head = headOf(input, kind.id);
  const request = kind.parse(input, now);
  if (!request.ok) {
    const none = { steps: [], services: [] };
    if (request.problem.code === 'clock_skew') return { ...head, outcome: 'failed', code: 'clock_skew', ...none };
    return { ...head, outcome: 'denied', code: 'invalid_request', ...none };
  }
  const context = openContext(clock, Date.parse(request.value.deadline) - now.getTime(), options.signal);
  const run = new Run(context, options);
  try {
    await body(request.value, run);
    return run.result(head);
  } finally {
    context.end();
  }
}

/** Only ids that are ones are said back. */
function headOf(input: unknown, id: RunKind<never>['id']): Head {
  const deployment = Uuid.safeParse(at(input, id));
  const requestId = RequestId.safeParse(at(input, 'requestId'));
  return {
    ...(deployment.success ? { deployment: deployment.data } : {}),
    ...(requestId.success ? { requestId: requestId.data } : {}),
  };
}
