import { z } from 'zod';
import type { Result } from '../../kernel/index.ts';
import { OPERATION_LIMITS } from './limits.ts';
import { Instant, isPlainText, Label, parsed, Subdomain, Uuid } from './words.ts';

/** What is read of one container's log. */
export const LogRequest = z.strictObject({
  pod: z.strictObject({ namespace: Label, name: Subdomain, container: Label.optional() }),
  /** Last lines only; absent or 0 for all. */
  tail: z.int().min(0).max(OPERATION_LIMITS.logTail).optional(),
  since: Instant.optional(),
  timestamps: z.boolean().optional(),
  follow: z.boolean().optional(),
  /** The log of the container before its last restart. */
  previous: z.boolean().optional(),
});
export type LogRequest = z.infer<typeof LogRequest>;

/** Takes one chunk, at most 32 KiB; its failure ends the log and is returned as it is. */
export type LogSink = (chunk: Uint8Array) => Promise<Result<void>>;

/** What is run in one container, on a terminal. */
export const ExecSpec = z.strictObject({
  pod: z.strictObject({ namespace: Label, name: Subdomain, container: Label, uid: Uuid }),
  argv: z
    .array(z.string())
    .min(1)
    .max(OPERATION_LIMITS.execArguments)
    .refine((argv) => argv[0] !== '')
    .refine((argv) => argv.every((one) => isPlainText(one, OPERATION_LIMITS.execArgumentBytes)))
    .refine((argv) => argv.reduce((sum, one) => sum + Buffer.byteLength(one), 0) <= OPERATION_LIMITS.execArgumentBytes),
});
export type ExecSpec = z.infer<typeof ExecSpec>;

const Dimension = z.int().min(1).max(OPERATION_LIMITS.execDimension);
export const TerminalSize = z.strictObject({ rows: Dimension, columns: Dimension });
export type TerminalSize = z.infer<typeof TerminalSize>;

/** A program on a terminal in a container. After an end by us the process may still run. */
export interface ExecSession {
  /** The next output, at most 32 KiB; `undefined` at its clean end, the closing cause once closed. */
  read(): Promise<Result<Uint8Array | undefined>>;
  /** A chunk over 32 KiB is `invalid_request`; the closing cause once closed. */
  write(chunk: Uint8Array): Promise<Result<void>>;
  /** Keeps the newest pending size; never blocks. */
  resize(size: TerminalSize): Result<void>;
  /** The exit code is absent while it runs, and when nobody knows it. */
  inspect(): { readonly running: boolean; readonly exitCode?: number };
  /** Idempotent; the first cause wins. */
  close(): void;
}

/** Validates a request for logs: `invalid_request`. */
export function parseLogRequest(input: unknown): Result<LogRequest> {
  return parsed(LogRequest, input);
}

/** Validates what is to be run: `invalid_request`. */
export function parseExecSpec(input: unknown): Result<ExecSpec> {
  return parsed(ExecSpec, input);
}
