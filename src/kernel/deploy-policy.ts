import { z } from 'zod';

/** A time in which nothing is released: it starts whenever the schedule says, and lasts so long on the clock of its time zone. */
export const FreezeWindow = z.strictObject({
  start: z.string().min(1).max(100).describe('five fields as cron has them, such as 0 18 * * 5'),
  minutes: z.int().min(1).max(20_160).describe('how long it lasts; two weeks at most'),
  timezone: z.string().min(1).max(100).optional().describe('IANA name; UTC when absent'),
});
export type FreezeWindow = z.infer<typeof FreezeWindow>;

/**
 * When a commit that the grant allows may be released. It lives beside the grant on the server, never in the repository. Absent is
 * automatic. What people do by hand over the API is not bound by it.
 */
export const DeployPolicy = z.strictObject({
  mode: z.enum(['automatic', 'approval']).describe('whether a person approves each plan before it is released'),
  checks: z
    .array(z.string().min(1).max(100))
    .max(20)
    .describe('commit statuses or check runs of other programs that must succeed first'),
  freeze: z.array(FreezeWindow).max(20).describe('when nothing is released'),
});
export type DeployPolicy = z.infer<typeof DeployPolicy>;
