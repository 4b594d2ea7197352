/**
 * The webhook of a repository at its forge: what it should be, what is wrong with it, how far the poller may rely on it, and the end of a
 * rotation of its secret. Takes a repository and what the forge and our own deliveries say; writes the repository's status. Never shows a
 * secret, never touches a hook that does not deliver to us.
 */
export { checkHook, finishRotation } from './check.ts';
export { pollSeconds } from './interval.ts';
export { doubles, judgeHook, ourHook } from './judge.ts';
export {
  changeHook,
  type HookDeps,
  type HooksAtForge,
  hasArrived,
  hooksAtForge,
  lookAtHook,
  rememberHook,
} from './look.ts';
export { removeHook } from './remove.ts';
export { hookPath, hookUrl, wantedEvents } from './wanted.ts';
