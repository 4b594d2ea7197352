import { type Runtime, runCli, type Terminal } from './cli/index.ts';
import { clientEnvironment, coloursWanted, loadConfig } from './config.ts';
import { describe } from './kernel/index.ts';
import { runDemoCommand } from './wiring/demo.ts';
import { examine } from './wiring/doctor.ts';
import { editText } from './wiring/edit.ts';
import { checkUrl, layFoundation, version } from './wiring/foundation.ts';
import { openLocalApi } from './wiring/local-api.ts';
import { processScreen } from './wiring/screen.ts';
import { startServing } from './wiring/serve.ts';

const terminal: Terminal = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  readInput,
  colour: coloursWanted(process.stderr.isTTY),
  screen: processScreen(),
  isInteractive: process.stdin.isTTY === true,
  onInterrupt: (run) => {
    process.once('SIGINT', run);
    return () => void process.off('SIGINT', run);
  },
};

// `hakopod … | head` closes the pipe when it has enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });

async function readInput(maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    // One byte too many is kept, so that the limit's own check refuses it.
    chunks.push(bytes.subarray(0, Math.max(0, maxBytes + 1 - (size - bytes.length))));
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Resolves with the first request to stop; a second one ends the process at once. */
function stopRequested(): Promise<undefined> {
  return new Promise((resolve) => {
    let asked = false;
    // Only a child of the demo has a channel; it ends with its parent, however that ends.
    process.once('disconnect', () => resolve(undefined));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(undefined);
      });
    }
  });
}

/** Seconds beyond draining in which everything must have closed. */
const STOP_SECONDS = 15;

const runtime: Runtime = {
  version: version(),
  checkUrl,
  serve: async (flags) => {
    const config = loadConfig(flags);
    const serving = config.ok ? await startServing(config.value) : config;
    if (!serving.ok) {
      terminal.err(`error: ${describe(serving.problem)} [${serving.problem.code}]`);
      return serving.problem.kind === 'rejected' ? 2 : 1;
    }
    const failure = await Promise.race([stopRequested(), serving.value.failed]);
    // Every part stops by itself in time; should one hang on a peer that is gone, the process does not hang with it.
    const patience = config.ok ? config.value.drainSeconds + STOP_SECONDS : STOP_SECONDS;
    setTimeout(() => process.exit(1), patience * 1000).unref();
    await serving.value.stop();
    if (failure === undefined) return 0;
    terminal.err(`error: ${describe(failure)} [${failure.code}]`);
    return 1;
  },
  demo: (flags) =>
    runDemoCommand(flags, { main: process.argv[1] ?? '', terminal, runtime: () => runtime, stopRequested }),
  openApi: async (flags) => {
    const config = loadConfig({ logLevel: 'warn', ...flags });
    if (!config.ok) return config;
    const foundation = layFoundation(config.value);
    return foundation.ok ? openLocalApi(foundation.value) : foundation;
  },
  clientEnvironment: () => clientEnvironment(),
  now: () => new Date(),
  edit: (text) => editText(text),
  doctor: (flags) => examine(flags),
};

process.exitCode = await runCli(runtime, terminal, process.argv.slice(2)).catch((error: unknown) => {
  terminal.err(`error: ${error instanceof Error ? error.message : 'unexpected failure'}`);
  return 1;
});
// Everything is closed by now. Should a socket to a frozen peer still be open, it does not keep the process.
setTimeout(() => process.exit(), 2000).unref();
