import { DELIVERIES_KEPT } from '../../ports/index.ts';

/** Commits remembered per ref until a worker takes them; older ones give way. */
const MENTIONED_PER_REF = 1_000;
/** Forges redeliver for three days (field lessons 3.3). */
const SEEN_SECONDS = 3 * 24 * 3600;
/** What nobody reads any more goes away by itself: a deleted repository's keys. */
const IDLE_SECONDS = 30 * 24 * 3600;

/** Marks of seen deliveries in a batch, and the commits it mentions. */
export type Intake = {
  /**
   * Keys: n marks, n mention sets. Arguments: milliseconds, then n commits (empty for none). Answers n numbers: 1 for a duplicate. The commit of a
   * delivery that is no duplicate is remembered with its time.
   */
  hakopodAdmit(keyCount: number, ...args: string[]): Promise<number[]>;
  /** Keys: n marks (empty for none), n histories. Arguments: n records. Sets the marks, then writes the history. */
  hakopodSeen(keyCount: number, ...args: string[]): Promise<number>;
};

const ADMIT = `
local n = #KEYS / 2
local answer = {}
for i = 1, n do
  if KEYS[i] ~= '' and redis.call('EXISTS', KEYS[i]) == 1 then
    answer[i] = 1
  else
    answer[i] = 0
    local commit = ARGV[i + 1]
    if commit ~= '' then
      local set = KEYS[n + i]
      redis.call('ZADD', set, 'NX', ARGV[1], commit)
      redis.call('ZREMRANGEBYRANK', set, 0, -${MENTIONED_PER_REF + 1})
      redis.call('EXPIRE', set, ${IDLE_SECONDS})
    end
  end
end
return answer`;

const SEEN = `
local n = #KEYS / 2
for i = 1, n do
  if KEYS[i] ~= '' then redis.call('SET', KEYS[i], '1', 'EX', ${SEEN_SECONDS}) end
  local history = KEYS[n + i]
  redis.call('LPUSH', history, ARGV[i])
  redis.call('LTRIM', history, 0, ${DELIVERIES_KEPT - 1})
  redis.call('EXPIRE', history, ${IDLE_SECONDS})
end
return n`;

/** The scripts as ioredis takes them; the number of keys comes with each call. */
export const SCRIPTS = { hakopodAdmit: { lua: ADMIT }, hakopodSeen: { lua: SEEN } };
