import { checkApplicationEnv } from './check-env.ts';
import { checkDomains, checkHttpEndpoints, checkKinds, checkPublicTcp } from './check-hosts.ts';
import {
  checkBindingTargets,
  checkCycles,
  checkDependencies,
  checkNetworkAccess,
  checkNetworks,
} from './check-peers.ts';
import { SERVICE_RULES } from './check-service.ts';
import { checkSharedStorage } from './check-shared.ts';
import type { Finding } from './path.ts';
import { type Checked, runRules } from './rule.ts';

/** All checks that span fields, in order. Each is independent: all findings are reported. */
const CHECKS: readonly ((checked: Checked) => readonly Finding[])[] = [
  checkKinds,
  checkApplicationEnv,
  (checked) => runRules(SERVICE_RULES, checked),
  checkSharedStorage,
  checkDependencies,
  checkCycles,
  checkNetworks,
  checkNetworkAccess,
  checkBindingTargets,
  checkDomains,
  checkHttpEndpoints,
  checkPublicTcp,
];

/** Runs every check that spans fields (facts 1 and 2). */
export function check(checked: Checked): readonly Finding[] {
  return CHECKS.flatMap((one) => one(checked));
}
