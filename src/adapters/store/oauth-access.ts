import {
  fail,
  isOwnedBy,
  MANAGED_BY,
  type ObjectRef,
  ok,
  type Problem,
  problem,
  type Result,
} from '../../kernel/index.ts';
import type { Clock, Cluster, Log, OauthExchange, OauthGrant, OauthTokens } from '../../ports/index.ts';
import { exchanged, grantIn, type KeptGrant, secretOf } from './oauth-secret.ts';
import { changeSecret, saveSecret } from './secret-objects.ts';

/** An exchange takes at most 15 s, and keeping its answer a little more; a claim that is older belongs to somebody who was killed. */
const CLAIM_MS = 60_000;
/** While somebody else exchanges; 20 s in all. */
const LOOK_MS = 250;
const LOOKS = 80;
/** A refused token that is younger is not renewed for that: it lacks a right, which a new one would lack too. */
const YOUNG_MS = 30 * 60 * 1000;
/** After a failure the forge is left alone for this long, unless it says how long itself. */
const PAUSE_MS = 30_000;
/** Tries to keep what the forge answered, which nobody can ask for again; half a minute in all. */
const SAVES = 15;
const SAVE_PAUSE_MS = 250;

export type OauthAccess = {
  /**
   * A token for the grant in the Secret, renewed where it is due, or where `refused`, which a server did not take, is the one that is kept.
   * `oauth_grant_ended`; `lease_held` while another process renews it for too long.
   */
  token(ref: ObjectRef, refused: string | undefined): Promise<Result<string>>;
  /** Keeps a grant, with the tokens it is exchanged for where the forge can be reached. */
  save(ref: ObjectRef, grant: OauthGrant): Promise<Result<void>>;
};

/**
 * Access tokens of OAuth grants. A refresh token is good for one use, so whoever is to use it claims it first by compare-and-set, which also
 * shows that the Secret can be written; then it is exchanged, the answer kept, and only then used. All others wait for what is kept. Should two
 * exchange it all the same (a claim outlived its time), what counts is which refresh token is kept: a refusal of another one says nothing.
 */
export function createOauthAccess(options: {
  readonly cluster: Cluster;
  readonly tokens: OauthTokens;
  readonly clock: Clock;
  readonly log: Log;
}): OauthAccess {
  const { cluster, tokens, clock, log } = options;
  /** By Secret. What was answered and could not be kept yet. */
  const unkept = new Map<string, { readonly sent: string; readonly next: KeptGrant }>();
  const pauses = new Map<string, { readonly until: number; readonly problem: Problem }>();
  const now = (): number => clock.now().getTime();

  function isUsable({ access }: KeptGrant, refused: string | undefined): boolean {
    if (access === undefined || now() >= access.renewAt) return false;
    return access.token !== refused || now() - access.issuedAt < YOUNG_MS;
  }

  /** A claim from a clock that is far ahead of ours counts no longer than one of ours. */
  function isClaimed({ claimedUntil }: KeptGrant): boolean {
    return claimedUntil !== undefined && claimedUntil > now() && claimedUntil <= now() + CLAIM_MS;
  }

  /** Claims the refresh token unless there is nothing to do; answers the grant as it is then. */
  async function claim(
    ref: ObjectRef,
    refused: string | undefined,
  ): Promise<Result<{ readonly grant: KeptGrant; readonly mine: boolean }>> {
    let mine = false;
    const looked = await changeSecret(cluster, ref, (secret) => {
      const grant = grantIn(secret);
      mine = grant !== undefined && !grant.ended && !isUsable(grant, refused) && !isClaimed(grant);
      return ok(mine && grant !== undefined ? secretOf({ ...grant, claimedUntil: now() + CLAIM_MS }) : undefined);
    });
    if (!looked.ok) return fail(writeProblem(looked.problem));
    const grant = grantIn(looked.value);
    return grant === undefined ? fail(problem('conflict')) : ok({ grant, mine });
  }

  /** Changes the grant if the refresh token is still the one that was sent; answers what is kept then, `undefined` for no grant. */
  async function settle(
    ref: ObjectRef,
    sent: string,
    change: (grant: KeptGrant) => KeptGrant,
  ): Promise<Result<KeptGrant | undefined>> {
    const written = await changeSecret(cluster, ref, (secret) => {
      const grant = grantIn(secret);
      return ok(grant === undefined || grant.refreshToken !== sent ? undefined : secretOf(change(grant)));
    });
    return written.ok ? ok(grantIn(written.value)) : written;
  }

  async function keep(ref: ObjectRef, sent: string, next: KeptGrant): Promise<Result<string>> {
    unkept.set(ref.name, { sent, next });
    const kept = await persistently(() => settle(ref, sent, () => next));
    if (kept.ok || !MAY_PASS.includes(kept.problem.code)) unkept.delete(ref.name);
    if (!kept.ok) {
      log.error('new tokens of an OAuth grant could not be kept', { name: ref.name, code: kept.problem.code });
      return kept;
    }
    // Somebody saved another grant meanwhile: that one counts, and has a token or gets one at the next try.
    const access = kept.value?.access;
    return access === undefined ? fail(problem('conflict')) : ok(access.token);
  }

  async function persistently<T>(write: () => Promise<Result<T>>): Promise<Result<T>> {
    for (let attempt = 1; ; attempt += 1) {
      const written = await write();
      if (written.ok || attempt === SAVES || !MAY_PASS.includes(written.problem.code)) return written;
      await clock.sleep(SAVE_PAUSE_MS * attempt);
    }
  }

  async function exchange(ref: ObjectRef, grant: KeptGrant, refused: string | undefined): Promise<Result<string>> {
    const sent = grant.refreshToken;
    const since = now();
    const answer = await tokens.refresh(grant);
    if (answer.ok) return keep(ref, sent, exchanged(grant, answer.value, since));
    const isOver = answer.problem.code === 'oauth_grant_ended';
    const settled = await settle(ref, sent, ({ claimedUntil: _over, access, ...rest }) => ({
      ...rest,
      ...(isOver || access === undefined ? {} : { access }),
      ended: isOver,
    }));
    log.warn('a token of an OAuth grant was not renewed', { name: ref.name, code: answer.problem.code });
    if (isOver) return settled.ok && settled.value?.refreshToken !== sent ? fail(problem('conflict')) : answer;
    pauses.set(ref.name, { until: now() + (answer.problem.afterMs ?? PAUSE_MS), problem: answer.problem });
    return untilItsEnd(grant, refused) ?? answer;
  }

  /** The token that was due, while it still holds. */
  function untilItsEnd({ access }: KeptGrant, refused: string | undefined): Result<string> | undefined {
    return access !== undefined && access.token !== refused && now() < access.endsAt ? ok(access.token) : undefined;
  }

  async function readGrant(ref: ObjectRef): Promise<Result<KeptGrant>> {
    const read = await cluster.get(ref);
    if (!read.ok) return read;
    const grant = read.value === undefined ? undefined : grantIn(read.value);
    if (grant === undefined) return fail(problem('conflict'));
    return grant.ended ? fail(problem('oauth_grant_ended')) : ok(grant);
  }

  /** One look at the Secret: a token, or `undefined` while somebody else gets one. */
  async function look(ref: ObjectRef, refused: string | undefined): Promise<Result<string | undefined>> {
    const read = await readGrant(ref);
    if (!read.ok) return read;
    const grant = read.value;
    if (isUsable(grant, refused)) return ok(grant.access?.token);
    const left = unkept.get(ref.name);
    if (left !== undefined && left.sent === grant.refreshToken) return keep(ref, left.sent, left.next);
    const pause = pauses.get(ref.name);
    if (pause !== undefined && pause.until > now()) return untilItsEnd(grant, refused) ?? fail(pause.problem);
    pauses.delete(ref.name);
    const claimed = await claim(ref, refused);
    if (!claimed.ok) return claimed;
    return claimed.value.mine ? exchange(ref, claimed.value.grant, refused) : ok(undefined);
  }

  return {
    token: async (ref, refused) => {
      for (let looks = 1; looks <= LOOKS; looks += 1) {
        const seen = await look(ref, refused);
        if (!seen.ok) return seen;
        if (seen.value !== undefined) return ok(seen.value);
        await clock.sleep(LOOK_MS);
      }
      return fail(problem('lease_held', 'another process renews the token of this repository', { afterMs: 3000 }));
    },

    save: async (ref, grant) => {
      const read = await cluster.get(ref);
      if (!read.ok) return read;
      if (read.value !== undefined && !isOwnedBy(read.value, MANAGED_BY)) return fail(problem('not_owned'));
      const since = now();
      const answer = await tokens.refresh(grant);
      if (!answer.ok && answer.problem.kind === 'rejected') return fail(grantProblem(answer.problem));
      if (answer.ok && !canReport(answer.value))
        return fail(problem('invalid_secret', 'the OAuth grant needs the scope api', { at: 'oauth' }));
      // A forge that can not be reached from here, or now, is asked by whoever needs a token first.
      const next = answer.ok ? exchanged(grant, answer.value, since) : { ...grant, ended: false };
      const saved = await persistently(() => saveSecret(cluster, ref, secretOf(next)));
      if (!saved.ok) return saved;
      unkept.delete(ref.name);
      pauses.delete(ref.name);
      return ok(undefined);
    },
  };
}

/** What may go away by itself. */
const MAY_PASS: readonly string[] = ['cluster_unavailable', 'conflict', 'already_exists'];

/** Statuses, webhooks and comments take the scope `api`, which reads contents too (GitLab, scopes of OAuth applications). */
function canReport({ scopes }: OauthExchange): boolean {
  return scopes === undefined || scopes.includes('api');
}

/** Of a grant that somebody just gave us. */
function grantProblem({ code, message, cause }: Problem): Problem {
  const isUsed = code === 'oauth_grant_ended';
  return problem(code, isUsed ? 'the forge refused the refresh token; authorise the application again' : message, {
    at: 'oauth',
    cause,
  });
}

/** A refresh token is only used where what comes back can be kept. */
function writeProblem(found: Problem): Problem {
  if (found.code !== 'not_owned') return found;
  return problem(
    'not_owned',
    'an OAuth grant changes with each use; give it with `hakopod repos add`, not as a Secret',
  );
}
