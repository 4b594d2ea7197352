/** Longest a caller is sent away for its turn; then it asks again. */
const LONGEST_TURN_MS = 5 * 60 * 1000;

/** The scripts of the forge budgets, as ioredis defines them on the client. */
export type Budgets = {
  /** Keys: pause, bucket. Arguments: now, points, capacity (0 for no bucket), points a millisecond. Answers milliseconds to wait, 0 for none. */
  hakopodTake(keyCount: number, ...args: string[]): Promise<number>;
  /** Keys: pause. Arguments: until when, for how long; milliseconds. */
  hakopodPause(keyCount: number, ...args: string[]): Promise<number>;
};

/**
 * Who is sent away gets a turn of its own, one after another at the pace of the refill, so that a crowd does not come back at once. One point
 * is enough for any call, and what it costs beyond is owed: calls that cost little would otherwise take every point before there are
 * enough for one that costs more.
 * A clock that is behind the one that wrote last refills nothing.
 */
const TAKE = `
local now, cost, capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local paused = tonumber(redis.call('GET', KEYS[1]) or '0')
if paused > now then return math.ceil(paused - now) end
if capacity == 0 then return 0 end
local state = redis.call('HMGET', KEYS[2], 'points', 'at', 'turn')
local points, at, turn = tonumber(state[1] or capacity), tonumber(state[2] or now), tonumber(state[3] or now)
if now > at then
  points = math.min(capacity, points + (now - at) * rate)
  at = now
end
local wait = 0
local least = math.min(cost, 1)
if points >= least then
  points = points - cost
else
  local first = now + (least - points) / rate
  turn = math.max(turn + cost / rate, first)
  wait = math.min(math.max(1, math.ceil(turn - now)), ${LONGEST_TURN_MS})
  turn = now + wait
end
redis.call('HSET', KEYS[2], 'points', points, 'at', at, 'turn', turn)
redis.call('PEXPIRE', KEYS[2], math.ceil(capacity / rate) + ${LONGEST_TURN_MS})
return wait`;

const PAUSE = `
if tonumber(redis.call('GET', KEYS[1]) or '0') >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', math.max(1, math.ceil(tonumber(ARGV[2]))))
return 1`;

export const BUDGET_SCRIPTS = { hakopodTake: { lua: TAKE }, hakopodPause: { lua: PAUSE } };
