import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { Json } from '../../src/kernel/index.ts';
import type { PatchKind } from '../../src/patch/index.ts';
import { goBinary } from '../cluster/rig/cache.ts';

/** What Kubernetes says: a value, or why not. */
export type Said = { readonly result?: Json; readonly error?: string };

/** kubectl and the API server's decoder, built from the Go modules of the test cluster's version; one process for all questions. */
export class Oracle {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  #last: Promise<unknown> = Promise.resolve();

  constructor(binary: string) {
    this.#child = spawn(binary, ['serve'], { stdio: 'pipe' });
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  /** `kubectl patch --local --type=strategic --patch-file` of an object. */
  patch(object: Json, text: string): Promise<Said> {
    return this.#ask({ object, patch: text });
  }

  /** What kubectl reads a patch's text as. */
  yaml(text: string): Promise<Said> {
    return this.#ask({ yaml: text });
  }

  /** Whether an object decodes strictly: no unknown field, no value of another type. */
  strict(kind: PatchKind, object: Json): Promise<Said> {
    return this.#ask({ kind, strict: object });
  }

  stop(): void {
    this.#lines.close();
    this.#child.stdin.end();
  }

  #ask(question: unknown): Promise<Said> {
    const answer = this.#last.then(async () => {
      this.#child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error('the oracle ended');
      return JSON.parse(value) as Said;
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }
}

/** The oracle's program, or undefined where there is no Go; says so. */
export async function oracleBinary(): Promise<string | undefined> {
  const binary = await goBinary('patch-oracle', new URL('oracle', import.meta.url).pathname);
  if (binary === undefined) console.warn('SKIPPED: comparing patches with kubectl: there is no Go to build it with');
  return binary;
}
