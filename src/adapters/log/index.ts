/**
 * Structured JSON logs on standard output through pino, redacted at the sink: whatever a field is called, what looks like a token, a
 * credential URL or a private key does not get out. Callers still may not pass secrets; this is the second line.
 */
import { pino } from 'pino';
import type { Log } from '../../ports/index.ts';
import { redact } from './redact.ts';

export { redact, redactText } from './redact.ts';

type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** A log at this level; `write` takes each finished line and is standard output by default. */
export function createLog(level: Level, write?: (line: string) => void): Log {
  const options = {
    level,
    base: {},
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const sink = write === undefined ? pino(options) : pino(options, { write });
  const make = (bound: Readonly<Record<string, unknown>>): Log => {
    const at =
      (severity: Exclude<Level, 'silent'>) =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
        sink[severity](redact({ ...bound, ...fields }), message);
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => make({ ...bound, ...fields }),
    };
  };
  return make({});
}
