/**
 * The `hakopod` command: parses arguments, runs one command as a client of the API, or over files alone, and answers an exit code. What only
 * the wiring can do is handed in; it never reads the environment.
 */
export type { Transport } from './client/transport.ts';
export { EXIT, type Screen, type Terminal } from './io.ts';
export { runCli } from './program.ts';
export type { ClientEnvironment, Finding, Runtime } from './runtime.ts';
