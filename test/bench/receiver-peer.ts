/** A server process of the receiver bench: `bare`, `ours` or `octokit`, told by its argument; settings come over the IPC channel. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { createJobQueue } from '../../queues/runtime/index.ts';
import { createGithubDialect } from '../../src/adapters/github/index.ts';
import { createGitlabDialect } from '../../src/adapters/gitlab/index.ts';
import { createLog } from '../../src/adapters/log/index.ts';
import { connectRedis, createDeliveryIntake } from '../../src/adapters/redis/index.ts';
import { createSystemClock } from '../../src/adapters/system/index.ts';
import type { HookEntry } from '../../src/ports/index.ts';
import { createHttpServer, createMetrics, createReceiver } from '../../src/server/index.ts';
import { type BenchHook, benchHooks } from './deliveries.ts';

const log = createLog('error');
// Ends with the bench, however that ends.
process.on('disconnect', () => process.exit(0));
process.on('message', async (settings: { hooks: number; redis: string; prefix: string } | 'cpu') => {
  if (settings === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system });
    return;
  }
  const hooks = benchHooks(settings.hooks);
  const port =
    process.argv[2] === 'ours'
      ? await ours(hooks, settings)
      : await listening(process.argv[2] === 'bare' ? bare(hooks) : octokit(hooks));
  process.send?.({ port });
});

/** The least a receiver must do: read, HMAC, parse, answer. */
function bare(hooks: readonly BenchHook[]): Server {
  const secrets = new Map(hooks.map((hook) => [`/hooks/${hook.id}`, hook.secret]));
  const answer = Buffer.from('{"accepted":true}');
  return createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      const expected = createHmac('sha256', secrets.get(req.url ?? '') ?? '')
        .update(body)
        .digest('hex');
      const claimed = Buffer.from(String(req.headers['x-hub-signature-256']));
      const valid = timingSafeEqual(Buffer.from(`sha256=${expected}`), claimed);
      const { ref } = JSON.parse(body.toString()) as { ref?: unknown };
      res.writeHead(valid && ref !== undefined ? 202 : 401, {
        'Content-Type': 'application/json',
        'Content-Length': answer.length,
      });
      res.end(answer);
    });
  });
}

/** @octokit/webhooks with a handler that does nothing. It knows one secret, so each hook has a middleware of its own. */
function octokit(hooks: readonly BenchHook[]): Server {
  const middlewares = new Map(
    hooks.map((hook) => {
      const webhooks = new Webhooks({ secret: hook.secret });
      webhooks.on('push', () => {});
      return [`/hooks/${hook.id}`, createNodeMiddleware(webhooks, { path: `/hooks/${hook.id}` })];
    }),
  );
  return createServer((req, res) => {
    const middleware = middlewares.get(req.url ?? '');
    if (middleware === undefined) res.writeHead(404).end();
    else void middleware(req, res);
  });
}

async function ours(hooks: readonly BenchHook[], settings: { redis: string; prefix: string }): Promise<number> {
  const clock = createSystemClock();
  const redis = connectRedis(settings.redis, { prefix: settings.prefix, log });
  const queue = createJobQueue({ url: settings.redis, prefix: settings.prefix, log });
  const metrics = createMetrics();
  const entries = new Map<string, HookEntry>(
    hooks.map(({ id, secret, repositoryId }) => [
      id,
      { repository: `shop-${repositoryId}`, forge: 'github', auth: 'hmac', repositoryId, secrets: [secret] },
    ]),
  );
  const receiver = createReceiver({
    directory: { ready: true, find: (id) => entries.get(id) },
    dialects: { github: createGithubDialect(), gitlab: createGitlabDialect() },
    intake: createDeliveryIntake({ redis, queue, clock, log }),
    metrics,
    clock,
    log,
  });
  await Promise.all([redis.waitUntilReady(5_000), queue.waitUntilReady(5_000)]);
  const server = createHttpServer({ listen: { host: '127.0.0.1', port: 0 }, receiver, metrics, readiness: [], log });
  const started = await server.start();
  if (!started.ok) throw new Error(started.problem.message);
  return started.value.port;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
