import {
  type ApplicationKey,
  fail,
  type Manifest,
  ok,
  type Problem,
  problem,
  type Result,
} from '../../kernel/index.ts';
import type { CertificatePair } from '../../ports/index.ts';
import { certificateProblems, certificateUses, LABELS } from '../../render/index.ts';
import type { Application } from '../../spec/index.ts';
import type { Deps } from '../context.ts';

type CertificateDeps = Pick<Deps, 'certificates' | 'clock' | 'options'>;
type Pairs = Readonly<Record<string, CertificatePair>>;

/** Of an application that has none yet; its own host names are then unknown, and only a wildcard can cover them. */
const NO_ID = '0'.repeat(32);

/** Why uploaded certificates can not serve what an application names them for. Reads the names and dates of those on record, no key. */
export async function certificateRefusals(
  deps: CertificateDeps,
  asked: { readonly key: ApplicationKey; readonly id: string | undefined; readonly application: Application },
): Promise<Result<readonly Problem[]>> {
  const { key, id, application } = asked;
  if (Object.keys(certificateUses(application)).length === 0) return ok([]);
  const kept = await deps.certificates.list(key);
  if (!kept.ok) return kept;
  const { appDomain } = deps.options;
  const options = appDomain === undefined ? {} : { appDomain };
  return ok(certificateProblems({ application, id: id ?? NO_ID, options }, kept.value, deps.clock.now()));
}

/** The certificates and keys a release serves, by service, base64; read before anything is written. `certificate_missing` names the service. */
export async function releaseCertificates(
  { certificates }: Pick<Deps, 'certificates'>,
  key: ApplicationKey,
  application: Application,
): Promise<Result<Pairs>> {
  const pairs: Record<string, CertificatePair> = {};
  for (const [service, name] of Object.entries(certificateUses(application))) {
    const read = await certificates.read(key, name);
    if (!read.ok) return read;
    if (read.value === undefined)
      return fail(problem('certificate_missing', undefined, { at: `services.${service}.tls.certificate` }));
    pairs[service] = encoded(read.value);
  }
  return ok(pairs);
}

/**
 * The certificates an application at rest serves: as they were uploaded, else as they are in its namespace, of which `live` are the objects on
 * record; without those that are gone from both. A name is its content's, so the two are the same.
 */
export async function recordedCertificates(
  { certificates }: Pick<Deps, 'certificates'>,
  asked: { readonly key: ApplicationKey; readonly application: Application; readonly live: readonly Manifest[] },
): Promise<Result<Pairs>> {
  const pairs: Record<string, CertificatePair> = {};
  for (const [service, name] of Object.entries(certificateUses(asked.application))) {
    const read = await certificates.read(asked.key, name);
    if (!read.ok) return read;
    const pair = read.value === undefined ? pairOf(liveCertificate(asked.live, name)) : encoded(read.value);
    if (pair !== undefined) pairs[service] = pair;
  }
  return ok(pairs);
}

function liveCertificate(live: readonly Manifest[], name: string): Manifest | undefined {
  return live.find(
    ({ kind, metadata }) =>
      kind === 'Secret' && metadata.name === name && metadata.labels?.[LABELS.tlsUpload] === 'true',
  );
}

/** Removes every uploaded certificate of an application that is removed. */
export async function forgetCertificates(
  { certificates }: Pick<Deps, 'certificates'>,
  key: ApplicationKey,
): Promise<Result<void>> {
  const kept = await certificates.list(key);
  if (!kept.ok) return kept;
  for (const { name } of kept.value) {
    const removed = await certificates.remove(key, name);
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}

function pairOf(secret: Manifest | undefined): CertificatePair | undefined {
  const data = (secret?.data ?? {}) as Readonly<Record<string, unknown>>;
  const [certificate, key] = [data['tls.crt'], data['tls.key']];
  return typeof certificate === 'string' && typeof key === 'string' ? { certificate, key } : undefined;
}

function encoded({ certificate, key }: CertificatePair): CertificatePair {
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  return { certificate: base64(certificate), key: base64(key) };
}
