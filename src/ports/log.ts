/**
 * Structured log. The message is a constant sentence; what varies goes into fields. The sink redacts, but no caller may pass a
 * secret's value in the first place.
 */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** A log that adds these fields to every line. */
  with(fields: Readonly<Record<string, unknown>>): Log;
}
