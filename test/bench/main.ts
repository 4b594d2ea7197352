/**
 * `npm run bench -- NAME [--smoke] [--kubeconfig PATH]`: runs one benchmark, prints what it does, and ends with one JSON line
 * `{"bench": NAME, "figures": {...}}`. Each benchmark measures the peer it names in the same run.
 */
import { parseArgs } from 'node:util';

type Options = { readonly smoke: boolean; readonly kubeconfig?: string };
type Bench = (options: Options) => Promise<Record<string, number>>;

/** What each file exports; loaded only when asked for, because benchmarks bring their peers along. */
const BENCHES: Readonly<Record<string, { readonly file: string; readonly run: string }>> = {
  git: { file: './git.ts', run: 'runGitBench' },
  receiver: { file: './receiver.ts', run: 'runReceiverBench' },
  patch: { file: './patch.ts', run: 'runPatchBench' },
  push: { file: './push.ts', run: 'runPushBench' },
  plan: { file: './plan.ts', run: 'runPlanBench' },
  api: { file: './api.ts', run: 'runApiBench' },
  sources: { file: './sources.ts', run: 'runSourcesBench' },
  fleet: { file: './fleet.ts', run: 'runFleetBench' },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { smoke: { type: 'boolean', default: false }, kubeconfig: { type: 'string' } },
});
const name = positionals[0] ?? '';
const bench = BENCHES[name];
if (bench === undefined || positionals.length !== 1) {
  console.error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--smoke] [--kubeconfig PATH]`);
  process.exit(2);
}
const module = (await import(bench.file)) as Record<string, Bench | undefined>;
const run = module[bench.run];
if (run === undefined) throw new Error(`${bench.file} does not export ${bench.run}`);
const { smoke, kubeconfig } = values;
const figures = await run({ smoke, ...(kubeconfig === undefined ? {} : { kubeconfig }) });
console.log(JSON.stringify({ bench: name, figures }));
