import { canonicalJson, type Manifest } from '../../kernel/index.ts';

/** Judges the next state of an object; answers the message of the refusal, or `undefined`. */
export type TransitionRule = (next: Manifest, previous: Manifest | undefined) => string | undefined;

/**
 * The CEL rules of the definitions once more, by `group/Kind`, for the embedded cluster, which does not evaluate CEL. The store's
 * contract runs the same tests on both, so the two can not drift apart.
 */
export function transitionRules(): Readonly<Record<string, TransitionRule>> {
  return {
    'hakopod.io/Application': application,
    'hakopod.io/AuditRecord': immutable('an audit record is immutable'),
    'hakopod.io/BuildRun': immutable('a build is immutable'),
    'hakopod.io/ClusterRun': immutable('a run is immutable'),
    'hakopod.io/DomainClaim': domainClaim,
    'hakopod.io/Plan': immutable('which request and source a plan is for is immutable'),
    'hakopod.io/Release': immutable('a release is immutable'),
  };
}

function application(next: Manifest, previous: Manifest | undefined): string | undefined {
  if (previous === undefined) return undefined;
  if (field(next.spec, 'id') !== field(previous.spec, 'id')) return 'spec.id is immutable: it names the namespace';
  if (previewOf(next) !== previewOf(previous)) return 'what an application is a preview of is immutable';
  const before = field(previous.status, 'fence');
  const after = field(next.status, 'fence');
  if (typeof before !== 'number' || (typeof after === 'number' && after >= before)) return undefined;
  return 'status.fence may not fall: a newer holder of the lease has written already';
}

function previewOf({ spec }: Manifest): string {
  const preview = field(spec, 'preview');
  const fixed = ['source', 'sourceUid', 'repository', 'number', 'parent'];
  return canonicalJson(preview === undefined ? [] : fixed.map((name) => field(preview, name) ?? ''));
}

function domainClaim(next: Manifest, previous: Manifest | undefined): string | undefined {
  const fixed = ['host', 'application', 'applicationId', 'token'];
  const isSame = previous === undefined || fixed.every((name) => field(next.spec, name) === field(previous.spec, name));
  return isSame ? undefined : 'whose a domain is, and its challenge, are immutable';
}

function immutable(message: string): TransitionRule {
  return (next, previous) =>
    previous === undefined || canonicalJson(next.spec) === canonicalJson(previous.spec) ? undefined : message;
}

function field(part: unknown, name: string): unknown {
  return (part as Readonly<Record<string, unknown>> | undefined)?.[name];
}
