/**
 * Redis beside the queues: the receiver's intake (duplicates, mentioned commits, delivery history), what workers read of it, the
 * budgets of forges, and a private `redis-server` for machines without one. In: a URL. Out: ports of `ports/deliveries.ts`, every call of which fails
 * within a second while Redis is away. Keys are prefixed and bounded; no payload and no secret is ever stored.
 */
export { connectRedis, type RedisHandle } from './connect.ts';
export { createDeliveryIntake } from './delivery-intake.ts';
export { createDeliveryLog } from './delivery-log.ts';
export { createForgeBudget } from './forge-budget.ts';
export { type PrivateRedis, redisAvailable, startPrivateRedis } from './private-redis.ts';
