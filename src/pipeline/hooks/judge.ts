import type { ForgeDelivery, ForgeHook, HookEvent, HookFault, HookState } from '../../ports/index.ts';

/** What is known of a hook when it is judged. */
export type Seen = {
  /** All hooks of the repository at its forge. */
  readonly hooks: readonly ForgeHook[];
  /** Where it should deliver. */
  readonly url: string;
  /** What it should send. */
  readonly wanted: readonly HookEvent[];
  /** Its id at the forge, when we made or found it before. */
  readonly knownId: string | undefined;
  /** Newest first; of the hook that `ourHook` finds. */
  readonly deliveries: readonly ForgeDelivery[];
  /** ISO time of our last change of the hook: deliveries before say nothing about it. */
  readonly since: string | undefined;
  /** A delivery that proved the secret arrived here since then. */
  readonly arrived: boolean;
};

export type Judgement = Required<Pick<HookState, 'health' | 'faults'>> &
  Pick<HookState, 'id' | 'url' | 'events' | 'lastDelivery'>;

/** With one of these nothing, or nothing of use, arrives. */
const FATAL: readonly HookFault[] = [
  ...(['missing', 'url', 'content_type', 'inactive', 'paused', 'disabled', 'secret', 'failing'] as const),
];
/** Without what is wanted of these, commits are found by polling alone. */
const PUSHES: readonly HookEvent[] = ['push', 'tag_push'];
/** Failed authentications: the receiver answers 401, and 429 to whoever fails too often. */
const REFUSED = [401, 429];

/**
 * The hook that is ours: it delivers to the path with our hook id, which is random and nobody else's, or has the id we know. One with the whole
 * right URL goes first.
 */
export function ourHook({ hooks, url, knownId }: Pick<Seen, 'hooks' | 'url' | 'knownId'>): ForgeHook | undefined {
  const ours = hooks.filter((hook) => isOurs(hook, url) || hook.id === knownId);
  return ours.find((hook) => hook.url === url) ?? ours[0];
}

/** Further hooks that deliver to us. */
export function doubles({ hooks, url, knownId }: Pick<Seen, 'hooks' | 'url' | 'knownId'>): readonly ForgeHook[] {
  const chosen = ourHook({ hooks, url, knownId });
  return hooks.filter((hook) => isOurs(hook, url) && hook.id !== chosen?.id);
}

function isOurs(hook: ForgeHook, url: string): boolean {
  return deliversTo(hook, `/${new URL(url).pathname.split('/').slice(-2).join('/')}`);
}

/** Whether a hook delivers to `hookPath`, at whatever address. */
export function deliversTo(hook: Pick<ForgeHook, 'url'>, path: string): boolean {
  return URL.parse(hook.url)?.pathname.endsWith(path) === true;
}

/** A hook somebody turned to another place tells where to, but not what may be a secret there. */
function shownUrl(hook: ForgeHook, url: string): string {
  const parsed = URL.parse(hook.url);
  if (parsed === null) return '';
  return isOurs(hook, url) ? `${parsed.origin}${parsed.pathname}` : parsed.origin;
}

/**
 * What is wrong with a hook, and whether the poller may rely on it. A wrong secret is not told by any forge; it shows in the answer of the last
 * delivery. Pure.
 */
export function judgeHook(seen: Seen): Judgement {
  const hook = ourHook(seen);
  if (hook === undefined) return { health: 'dead', faults: ['missing'] };
  const last = seen.deliveries.find(
    ({ at }) => at === undefined || seen.since === undefined || Date.parse(at) >= Date.parse(seen.since),
  );
  const faults = [
    ...faultsOf(hook, seen),
    ...deliveryFaults(last),
    ...(doubles(seen).length > 0 ? (['doubled'] as const) : []),
  ];
  const isDeaf = seen.wanted.some((event) => PUSHES.includes(event) && !hook.events.includes(event));
  const isDead = isDeaf || faults.some((fault) => FATAL.includes(fault));
  const isProven = last?.ok === true || seen.arrived;
  return {
    health: isDead ? 'dead' : isProven ? 'healthy' : 'unknown',
    faults,
    id: hook.id,
    url: shownUrl(hook, seen.url),
    events: [...hook.events],
    ...(last === undefined ? {} : { lastDelivery: withoutId(last) }),
  };
}

function faultsOf(hook: ForgeHook, { url, wanted }: Pick<Seen, 'url' | 'wanted'>): readonly HookFault[] {
  const found: readonly (readonly [HookFault, boolean])[] = [
    ['url', hook.url !== url],
    ['events', wanted.some((event) => !hook.events.includes(event))],
    ['extra_events', hook.sendsMore || hook.events.some((event) => !wanted.includes(event))],
    ['tls', !hook.verifiesTls],
    ['content_type', !hook.isJson],
    ['inactive', hook.state === 'inactive'],
    ['paused', hook.state === 'paused'],
    ['disabled', hook.state === 'disabled'],
  ];
  return found.filter(([, isFound]) => isFound).map(([fault]) => fault);
}

/** Installing lets the forge deliver once more, so one without a date is not from before for long. */
function deliveryFaults(last: ForgeDelivery | undefined): readonly HookFault[] {
  if (last === undefined || last.ok) return [];
  return [last.status !== undefined && REFUSED.includes(last.status) ? 'secret' : 'failing'];
}

function withoutId({ at, status, ok }: ForgeDelivery): NonNullable<HookState['lastDelivery']> {
  return { ok, ...(at === undefined ? {} : { at }), ...(status === undefined ? {} : { status }) };
}
