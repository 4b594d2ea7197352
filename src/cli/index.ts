/** The `hakopod` command: parses arguments, runs one command against what the wiring hands in, answers an exit code. Never reads the environment. */
export { EXIT, type Terminal } from './io.ts';
export { runCli } from './program.ts';
export type { Finding, Runtime, Workbench } from './workbench.ts';
