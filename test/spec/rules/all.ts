import { APPLICATION_RULES } from './application.ts';
import { BUILDING_RULES } from './building.ts';
import { ENVIRONMENT_RULES } from './environment.ts';
import { KIND_RULES } from './kinds.ts';
import { LISTENING_RULES } from './listening.ts';
import type { RuleCase } from './rule-case.ts';
import { SCALING_RULES } from './scaling.ts';
import { SERVICE_RULES } from './service.ts';
import { STORAGE_RULES } from './storage.ts';

/** Every rule, by the part of the specification it is about. */
export const PARTS: readonly (readonly [string, readonly RuleCase[]])[] = [
  ['the application', APPLICATION_RULES],
  ['a service', SERVICE_RULES],
  ['listening', LISTENING_RULES],
  ['scaling and public TCP', SCALING_RULES],
  ['storage', STORAGE_RULES],
  ['environment', ENVIRONMENT_RULES],
  ['builds and patches', BUILDING_RULES],
  ['kinds of services', KIND_RULES],
];

const RULES = PARTS.flatMap(([, rules]) => rules);

/** Valid files that set every field there is, each small enough to be changed thousands of times. */
export const VALID: readonly string[] = RULES.flatMap(({ accept }) => accept).filter((file) => file.length < 20_000);
/** Files that each break one rule. */
export const INVALID: readonly string[] = RULES.flatMap(({ refuse }) => refuse.map(([file]) => file)).filter(
  (file) => file.length < 20_000,
);
