import type { Screen } from '../cli/index.ts';

/** Standard input and output of this process as bytes. */
export function processScreen(): Screen {
  const { stdin, stdout } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  return {
    isTerminal,
    size: () => (stdout.isTTY ? { rows: within(stdout.rows), columns: within(stdout.columns) } : undefined),
    onResize: (listener) => {
      stdout.on('resize', listener);
      return () => void stdout.off('resize', listener);
    },
    onInput: (listener) => {
      const onEnd = (): void => listener(undefined);
      // Each key as it is pressed, Ctrl-C among them: they are the program's at the other end.
      if (stdin.isTTY) stdin.setRawMode(true);
      // A question before this one let go of it.
      stdin.ref?.();
      stdin.on('data', listener).on('end', onEnd).resume();
      return () => {
        stdin.off('data', listener).off('end', onEnd).pause();
        if (stdin.isTTY) stdin.setRawMode(false);
        stdin.unref?.();
      };
    },
    write: (chunk) =>
      new Promise((resolve) => {
        // A reader that left (`| head`) is no reason to fail; the rest goes nowhere.
        stdout.write(chunk, () => resolve());
      }),
  };
}

/** A size programs are told; terminals may have none yet, or more than that. */
function within(size: number | undefined): number {
  return Math.min(512, Math.max(1, size ?? 24));
}
