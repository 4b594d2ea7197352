import { run } from './run.ts';

const EVERY_MS = 2000;
/** Measuring may take this part of the time, so that a folder of many files is not measured without pause. */
const SHARE = 0.2;

/** Measures a folder again and again; the signal aborts when it is larger than `maxBytes`. */
export function watchDisk(folder: string, maxBytes: number): { readonly signal: AbortSignal; stop(): void } {
  const tooLarge = new AbortController();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const began = Date.now();
    const bytes = await diskUsage(folder, stopping.signal);
    if (stopping.signal.aborted) return;
    if (bytes > maxBytes) {
      tooLarge.abort();
      return;
    }
    timer = setTimeout(() => void look(), Math.max(EVERY_MS, (Date.now() - began) / SHARE));
  };
  timer = setTimeout(() => void look(), EVERY_MS);
  return {
    signal: tooLarge.signal,
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}

/** Bytes a folder takes on disk; 0 when it can not be told. */
async function diskUsage(folder: string, signal: AbortSignal): Promise<number> {
  let text = '';
  const code = await run(['du', '-skx', folder], {
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    signal,
    onOutput: (part) => {
      text += part;
    },
  });
  // du ends with 1 when a file went away meanwhile, and still tells the sum on its last line.
  const sum = /^(\d+)\t/.exec(text.trimEnd().split('\n').at(-1) ?? '');
  return code <= 1 && sum !== null ? Number(sum[1]) * 1024 : 0;
}
