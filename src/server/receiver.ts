import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../kernel/index.ts';
import {
  type AcceptedPush,
  type Clock,
  commentMentions,
  type Delivery,
  type DeliveryIntake,
  type DeliveryVerdict,
  type HookDialect,
  type HookDirectory,
  type HookEntry,
  type HookHeaders,
  type Log,
  type Metrics,
  type ProvenBy,
  pullRequestMentions,
} from '../ports/index.ts';
import { type Answer, errorAnswer, jsonAnswer, send } from './answer.ts';
import { announcesTooMuch, readBody, refuse, sendAndClose } from './body.ts';
import { clientAddress } from './client-address.ts';
import { type BucketLimits, createTokenBuckets, DEFAULT_LIMITS } from './token-buckets.ts';

type Forge = HookEntry['forge'];
type Ignored = 'duplicate' | 'malformed' | 'repository' | 'event';

export type ReceiverOptions = {
  readonly directory: HookDirectory;
  readonly dialects: Readonly<Record<Forge, HookDialect>>;
  readonly intake: DeliveryIntake;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  /** Largest body, bytes; 5 MiB by default. */
  readonly bodyBytes?: number;
  /** Failed authentications per route and address. */
  readonly failures?: Partial<BucketLimits>;
  /** Proxies of ours in front of us; see `clientAddress`. */
  readonly trustedProxies?: number;
};

const ACCEPTED = jsonAnswer(202, { accepted: true });
const IGNORED: Readonly<Record<Ignored, Answer>> = {
  duplicate: jsonAnswer(202, { ignored: 'duplicate' }),
  malformed: jsonAnswer(202, { ignored: 'malformed' }),
  repository: jsonAnswer(202, { ignored: 'repository' }),
  event: jsonAnswer(202, { ignored: 'event' }),
};
const METHOD = errorAnswer(405, 'method_not_allowed', 'webhooks are delivered with POST', ['Allow', 'POST']);
const CONTENT_TYPE = errorAnswer(415, 'unsupported_media_type', 'deliver as application/json; a form is not accepted');
const TOO_LARGE = errorAnswer(413, 'body_limit', 'the body is too large');
const UNAUTHORIZED = errorAnswer(401, 'unauthorized', 'the delivery proves no secret of this hook');
const RATE_LIMIT = errorAnswer(429, 'rate_limit', 'too many failed deliveries', ['Retry-After', '2']);
const UNAVAILABLE = errorAnswer(503, 'unavailable', 'deliveries can not be queued at the moment', ['Retry-After', '5']);

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
/** One line a minute and repository of refused deliveries in its history; more would let strangers push out the real ones. */
const REFUSED_RECORDS: BucketLimits = { capacity: 1, refillPerSecond: 1 / 60, maxBuckets: 10_000 };

/**
 * The webhook receiver for `POST /hooks/:id`, in invariant 2's order: method, content type, byte cap while streaming, signature
 * over the raw bytes, duplicate check, schema, repository id, enqueue, 202. An unknown id, a missing secret and a bad signature
 * take the same work and get the same answer. A valid signature always gets 202, but for 503 while Redis is away or the
 * directory is not ready: forges disable hooks that answer 4xx, so the bucket of failed authentications turns only their 401 into 429.
 *
 * The duplicate check before the schema costs nothing extra: a push is checked inside the intake's batch, and only what leads
 * to nothing (malformed, foreign, other events) asks by itself. Its payload is decoded first, which nobody outside can tell.
 * Only accepted pushes are marked as seen, so what was ignored by a mistake of ours can be delivered again.
 */
export function createReceiver(
  options: ReceiverOptions,
): (req: IncomingMessage, res: ServerResponse, hookId: string) => Promise<void> {
  const { directory, dialects, intake, metrics, clock, log } = options;
  const cap = options.bodyBytes ?? LIMITS.hookBodyBytes;
  const failures = createTokenBuckets({ ...DEFAULT_LIMITS, ...options.failures }, clock);
  const refusedRecords = createTokenBuckets(REFUSED_RECORDS, clock);
  const nobodysSecret = [randomBytes(32).toString('hex')];

  async function receive(req: IncomingMessage, res: ServerResponse, hookId: string): Promise<void> {
    if (req.method !== 'POST') return refuse(req, res, METHOD);
    if (!JSON_TYPE.test(req.headers['content-type'] ?? '')) return refuse(req, res, CONTENT_TYPE);
    if (announcesTooMuch(req, cap)) return sendAndClose(req, res, TOO_LARGE);
    if (!directory.ready) {
      metrics.delivery('unknown', 'unavailable');
      return refuse(req, res, UNAVAILABLE);
    }
    if (req.headers.expect !== undefined) res.writeContinue();
    const body = await readBody(req, cap);
    if (body === 'too large') return sendAndClose(req, res, TOO_LARGE);
    if (body === 'broken') {
      metrics.delivery('unknown', 'broken');
      return;
    }
    send(res, await judge(req, hookId, body));
  }

  async function judge(req: IncomingMessage, hookId: string, body: Buffer): Promise<Answer> {
    const headers = req.headers as HookHeaders;
    const entry = directory.find(hookId);
    const now = clock.now();
    if (!proves(entry, headers, body, now) || entry === undefined) {
      return unauthorized(entry, hookId, clientAddress(req, options.trustedProxies ?? 0));
    }
    const dialect = dialects[entry.forge];
    const deliveryId = dialect.deliveryId(headers);
    const delivery = dialect.decode(headers, body);
    const proof = proofOf(entry, headers, body, now);
    const at = now.toISOString();
    const reason = reasonToIgnore(delivery, entry);
    const hint = reason === undefined ? hintOf(delivery) : undefined;
    if (hint !== undefined) {
      const fate = await intake.accept({ repository: entry.repository, deliveryId, ...hint, ...proof, at });
      if (!fate.ok) return unavailable(entry);
      metrics.delivery(entry.forge, fate.value);
      return fate.value === 'accepted' ? ACCEPTED : IGNORED.duplicate;
    }
    const seen = await intake.seen(entry.repository, deliveryId);
    if (!seen.ok) return unavailable(entry);
    return ignored(seen.value ? 'duplicate' : (reason ?? 'event'), entry, { deliveryId, ...proof, at });
  }

  /** While two secrets are valid, which of them the forge uses: the old one goes when it uses the new one. */
  function proofOf(entry: HookEntry, headers: HookHeaders, body: Buffer, now: Date): Pick<About, 'provenBy'> {
    const { forge, auth, secrets } = entry;
    if (secrets.length < 2) return {};
    const isCurrent = dialects[forge].verify({ headers, body, secrets: secrets.slice(0, 1), auth, now });
    return { provenBy: isCurrent ? 'current' : 'previous' };
  }

  /** An id nobody has is verified like any other, against a secret nobody has. */
  function proves(entry: HookEntry | undefined, headers: HookHeaders, body: Buffer, now: Date): boolean {
    const like = entry ?? { secrets: nobodysSecret, ...guessDialect(headers) };
    return dialects[like.forge].verify({ headers, body, secrets: like.secrets, auth: like.auth, now });
  }

  function unauthorized(entry: HookEntry | undefined, hookId: string, address: string): Answer {
    const allowed = failures.take(`${hookId.slice(0, 128)} ${address}`);
    metrics.delivery(entry?.forge ?? 'unknown', allowed ? 'unauthorized' : 'rate_limited');
    if (entry !== undefined && refusedRecords.take(entry.repository)) {
      // No delivery id: nothing a stranger wrote goes into the history.
      write('refused', entry, { deliveryId: undefined, at: clock.now().toISOString() });
    }
    return allowed ? UNAUTHORIZED : RATE_LIMIT;
  }

  function unavailable(entry: HookEntry): Answer {
    metrics.delivery(entry.forge, 'unavailable');
    return UNAVAILABLE;
  }

  function ignored(reason: Ignored, entry: HookEntry, about: About): Answer {
    metrics.delivery(entry.forge, reason);
    write(reason, entry, about);
    return IGNORED[reason];
  }

  function write(verdict: DeliveryVerdict, entry: HookEntry, about: About): void {
    intake.record({ repository: entry.repository, verdict, ...about });
  }

  return async (req, res, hookId) => {
    try {
      await receive(req, res, hookId);
    } catch (error) {
      log.error('the receiver threw, which is a bug', { error });
      send(res, UNAVAILABLE);
    }
  };
}

type About = { readonly deliveryId: string | undefined; readonly at: string; readonly provenBy?: ProvenBy };

type Hint = Pick<AcceptedPush, 'ref' | 'commit' | 'pullRequest'>;

/** Where a worker shall look; `undefined` for what leads to nothing. */
function hintOf(delivery: Delivery): Hint | undefined {
  switch (delivery.kind) {
    case 'push':
      return { ref: delivery.ref, commit: delivery.commit };
    case 'pull_request': {
      const { number, head } = delivery;
      return { ref: pullRequestMentions(number), commit: head, pullRequest: number };
    }
    case 'comment': {
      const { number, comment } = delivery;
      return { ref: commentMentions(number), commit: comment, pullRequest: number };
    }
    default:
      return undefined;
  }
}

/** Schema first, then the repository's id, then what we have no use for. */
function reasonToIgnore(delivery: Delivery, entry: HookEntry): Ignored | undefined {
  switch (delivery.kind) {
    case 'ignored':
      return delivery.reason;
    case 'ping':
      return delivery.repositoryId !== undefined && delivery.repositoryId !== entry.repositoryId
        ? 'repository'
        : 'event';
    case 'push':
    case 'pull_request':
    case 'comment':
      return delivery.repositoryId === entry.repositoryId ? undefined : 'repository';
  }
}

/** The dialect an unknown id's delivery speaks, so that it is verified with the work its sender expects. */
function guessDialect(headers: HookHeaders): { readonly forge: Forge; readonly auth: HookEntry['auth'] } {
  if (headers['webhook-signature'] !== undefined) return { forge: 'gitlab', auth: 'signing-token' };
  if (headers['x-gitlab-token'] !== undefined) return { forge: 'gitlab', auth: 'token' };
  return { forge: 'github', auth: 'hmac' };
}
