/** Starts a private Redis, tells its process id, and waits to be killed. */
import { startPrivateRedis } from '../../../src/adapters/redis/index.ts';

const started = await startPrivateRedis();
if (!started.ok) throw new Error(started.problem.message);
process.send?.(started.value.pid);
setInterval(() => {}, 1_000);
