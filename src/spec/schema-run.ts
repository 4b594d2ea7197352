import { z } from 'zod';
import { validCron, validTimezone } from './cron.ts';
import { cpuMillis, memoryBytes } from './quantity.ts';
import {
  Identity,
  int,
  intOrUnset,
  listOf,
  Name,
  NameOrUnset,
  orEmpty,
  plainText,
  textOrUnset,
  uniqueListOf,
} from './schema-parts.ts';

const Cpu = textOrUnset(
  (text) => cpuMillis(text) !== undefined,
  'must be a CPU quantity from 1m to 64, such as 250m or 1.5',
  { pattern: '^$|^[0-9]+m$|^[0-9]+(\\.[0-9]{1,3})?$', maxLength: 32 },
);
const Memory = textOrUnset(
  (text) => memoryBytes(text) !== undefined,
  'must be a memory quantity from 1Mi to 256Gi, such as 512Mi or 2Gi',
  { pattern: '^$|^[0-9]+([KMGT]i|[kMGT])?$', maxLength: 32 },
);

/** Facts 1.4. */
export const ResourcesFile = z.strictObject({
  cpu_request: Cpu.optional(),
  cpu_limit: Cpu.optional(),
  memory_request: Memory.optional(),
  memory_limit: Memory.optional(),
});

const ScheduleFile = z.strictObject({
  cron: z
    .string()
    .refine(validCron, 'must be five cron fields, such as 30 4 * * mon-fri, of at most 100 characters')
    .meta({ pattern: '^\\s*\\S+(?:\\s+\\S+){4}\\s*$', maxLength: 100 }),
  timezone: textOrUnset(validTimezone, 'must be an IANA time zone, such as Europe/Berlin', {
    maxLength: 100,
  }).optional(),
  history_limit: intOrUnset(1, 2).optional(),
});

const InvocationFile = z.strictObject({
  allowed_identities: uniqueListOf(Identity, 16).refine(atLeastOne, 'must name an identity').meta({ minItems: 1 }),
  input_keys: uniqueListOf(Name, 16).refine(atLeastOne, 'must name an input').meta({ minItems: 1 }),
  max_input_bytes: intOrUnset(2, 131_072, ' bytes').optional(),
  queue_limit: intOrUnset(1, 64).optional(),
});

/** Facts 1.9. */
export const JobFile = z.strictObject({
  timeout_seconds: intOrUnset(10, 900, ' seconds').optional(),
  retries: int(0, 3).optional(),
  schedule: ScheduleFile.optional(),
  invocation: InvocationFile.optional(),
});

export const GpuFile = z.strictObject({ count: intOrUnset(1, 8).optional() });

/** Facts 1.17. */
export const SessionFile = z.strictObject({
  allowed_identities: uniqueListOf(Identity, 32).refine(atLeastOne, 'must name an identity').meta({ minItems: 1 }),
  helper_command: listOf(plainText(4096), 64).refine(atLeastOne, 'must name a program').meta({ minItems: 1 }),
  idle_seconds: intOrUnset(60, 900, ' seconds').optional(),
  lifetime_seconds: intOrUnset(60, 3600, ' seconds').optional(),
});

const OWNER = /^[A-Za-z0-9_.-]{1,100}$/;
const REPOSITORY = /^[A-Za-z0-9_.-]{1,100}(?:\/[A-Za-z0-9_.-]{1,100}){1,5}$/;

/** Facts 1.18. */
export const ActionsFile = z.strictObject({
  repository: textOrUnset((text) => REPOSITORY.test(text), 'must be an owner and a repository', {
    pattern: orEmpty(REPOSITORY),
  }).optional(),
  organization: textOrUnset((text) => OWNER.test(text), 'must be the name of an organization', {
    pattern: orEmpty(OWNER),
  }).optional(),
  runner_group_id: int(0, Number.MAX_SAFE_INTEGER).optional(),
  credential: NameOrUnset.optional(),
  labels: uniqueListOf(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'must be a runner label of at most 64 characters'),
    8,
  ).optional(),
  timeout_minutes: intOrUnset(5, 360, ' minutes').optional(),
  workspace_size_gib: intOrUnset(2, 16).optional(),
});

function atLeastOne(list: readonly unknown[]): boolean {
  return list.length > 0;
}
