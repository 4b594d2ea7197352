import { fail, problem, type Result } from '../../kernel/index.ts';

/** How often the authority behind something that lasts is read again, and how long that may take; milliseconds. */
export type AuthorityTimes = { readonly authorityMs: number; readonly authorityReadMs: number };

/** Asks again and again, and calls `onLost` once when the answer is no or does not come in time. Answers the way to stop asking. */
export function watchAuthority(
  authority: () => Promise<Result<void>>,
  { authorityMs, authorityReadMs }: AuthorityTimes,
  onLost: () => void,
): () => void {
  const timer = setInterval(() => void check(authority, authorityReadMs, lose), authorityMs);
  const stop = (): void => clearInterval(timer);
  const lose = (): void => {
    stop();
    onLost();
  };
  return stop;
}

async function check(authority: () => Promise<Result<void>>, ms: number, onLost: () => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Result<void>>((resolve) => {
    timer = setTimeout(() => resolve(fail(problem('unauthorized'))), ms);
  });
  const held = await Promise.race([authority().catch(() => fail(problem('unauthorized'))), late]);
  clearTimeout(timer);
  if (!held.ok) onLost();
}
