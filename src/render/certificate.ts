import { createPrivateKey, X509Certificate } from 'node:crypto';
import { canonicalJson, fail, type Manifest, ok, type Problem, problem, type Result, sha256 } from '../kernel/index.ts';
import type { Service } from '../spec/index.ts';
import { serviceHosts } from './hosts.ts';
import { uploadedCertificate } from './ingress.ts';
import type { RenderInput } from './input.ts';
import { LABELS, operationAnnotation, serviceLabels } from './labels.ts';
import { namespaceName } from './names.ts';

/** What an uploaded certificate says of itself. */
export type CertificateFacts = {
  /** Lower case; `*.` in front stands for one label. */
  readonly hosts: readonly string[];
  readonly notBefore: string;
  readonly notAfter: string;
  /** Its certificates, leaf first, as PEM and nothing else. */
  readonly certificate: string;
  /** The private key, as PEM and nothing else. */
  readonly key: string;
};

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const PRIVATE = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[A-Za-z0-9+/=\s]+-----END (?:[A-Z]+ )?PRIVATE KEY-----/;
const HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Longest chain anybody serves, with room. */
const CHAIN = 10;
/** Shorter ones TLS libraries refuse to load, and one certificate that can not be loaded may keep a shared controller from all others. */
const RSA_BITS = 2048;

/**
 * Reads an uploaded certificate with its chain and the private key. `invalid_certificate` when either can not be read, the key is encrypted or
 * is not the certificate's or too short, the chain is out of order, it is over or has not begun, or it is for no host name. No text of either is answered.
 */
export function readCertificate(
  pem: { readonly certificate: string; readonly key: string },
  now: Date,
): Result<CertificateFacts> {
  const refuse = (at: string, message: string): Result<never> => fail(problem('invalid_certificate', message, { at }));
  const blocks = pem.certificate.match(BLOCK) ?? [];
  if (blocks.length === 0) return refuse('certificate_pem', 'holds no certificate in PEM form');
  if (blocks.length > CHAIN) return refuse('certificate_pem', `holds more than ${CHAIN} certificates`);
  const chain = blocks.map(parsed);
  const [leaf] = chain;
  if (leaf === undefined || chain.includes(undefined))
    return refuse('certificate_pem', 'holds a certificate that can not be read');
  const isOrdered = chain.every((one, i) => i === 0 || chain[i - 1]?.checkIssued(one as X509Certificate) === true);
  if (!isOrdered) return refuse('certificate_pem', 'each certificate must be followed by that of its issuer');
  const keyText = PRIVATE.exec(pem.key)?.[0];
  const isKey = keyText === undefined ? undefined : belongs(leaf, keyText);
  if (keyText === undefined || isKey === undefined)
    return refuse('private_key_pem', 'holds no private key in PEM form that needs no passphrase');
  if (!isKey) return refuse('private_key_pem', 'is not the key of the certificate');
  const { validFromDate, validToDate, publicKey } = leaf;
  if ((publicKey.asymmetricKeyDetails?.modulusLength ?? RSA_BITS) < RSA_BITS)
    return refuse('certificate_pem', `an RSA key must have at least ${RSA_BITS} bits`);
  if (validToDate.getTime() <= now.getTime()) return refuse('certificate_pem', 'the certificate has expired');
  if (validFromDate.getTime() > now.getTime()) return refuse('certificate_pem', 'the certificate is not valid yet');
  const hosts = hostsOf(leaf);
  if (hosts.length === 0)
    return refuse('certificate_pem', 'the certificate names no host; a common name does not count');
  return ok({
    hosts,
    notBefore: validFromDate.toISOString(),
    notAfter: validToDate.toISOString(),
    certificate: `${blocks.join('\n')}\n`,
    key: `${keyText}\n`,
  });
}

function parsed(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** `undefined` when the key can not be read. */
function belongs(leaf: X509Certificate, key: string): boolean | undefined {
  try {
    return leaf.checkPrivateKey(createPrivateKey(key));
  } catch {
    return undefined;
  }
}

/** Names that need quotes in the certificate are no host names, and are left out. */
function hostsOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  const names = subjectAltName
    .split(', ')
    .flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4).toLowerCase()] : []));
  return [...new Set(names.filter((name) => HOST.test(name)))].sort();
}

/** Whether one of a certificate's names is this host: equal, or a wildcard for exactly its first label (RFC 6125). */
export function coversHost(names: readonly string[], host: string): boolean {
  const parent = host.slice(host.indexOf('.'));
  return names.some((name) => name === host || (name.startsWith('*.') && name.slice(1) === parent));
}

/** `hp-tls-<service[:23]>-<32 hex>`, at most 63 characters (facts 3.1); the same upload has the same name. */
export function certificateName(scope: string, service: string, facts: CertificateFacts): string {
  const content = canonicalJson({ scope, service, certificate: sha256(facts.certificate) });
  return `hp-tls-${service.slice(0, 23)}-${sha256(content).slice(0, 32)}`;
}

/** An uploaded certificate as it is kept, without its key. */
type Kept = {
  readonly name: string;
  readonly service: string;
  readonly hosts: readonly string[];
  readonly notAfter: string;
};

/**
 * Why uploaded certificates can not serve what an application wants of them, by service: `certificate_missing`, and `certificate_refused` with
 * the first host that is not covered, or when it is over. Custom domains count before they are verified.
 */
export function certificateProblems(
  input: Parameters<typeof serviceHosts>[0],
  kept: readonly Kept[],
  now: Date,
): readonly Problem[] {
  return usesOf(input.application).flatMap(([service, name]): readonly Problem[] => {
    const at = `services.${service}.tls.certificate`;
    const found = kept.find((one) => one.name === name && one.service === service);
    if (found === undefined) return [problem('certificate_missing', undefined, { at })];
    if (Date.parse(found.notAfter) <= now.getTime()) return [problem('certificate_refused', 'has expired', { at })];
    const strange = serviceHosts(input, service).find(({ host }) => !coversHost(found.hosts, host));
    return strange === undefined ? [] : [problem('certificate_refused', `does not cover ${strange.host}`, { at })];
  });
}

/** The uploaded certificate each service is served with, by service. */
export function certificateUses(application: RenderInput['application']): Readonly<Record<string, string>> {
  return Object.fromEntries(usesOf(application));
}

function usesOf({ services }: RenderInput['application']): readonly (readonly [string, string])[] {
  return Object.keys(services)
    .sort()
    .flatMap((name) => {
      const used = uploadedCertificate(services[name] as Service);
      return used === undefined ? [] : [[name, used] as const];
    });
}

/** The Secret the ingress controller serves a service's uploaded certificate from (facts 3.1); immutable, as its name is its content's. */
export function renderCertificate(input: RenderInput, service: string): Manifest | undefined {
  const name = certificateUses(input.application)[service];
  const pair = input.certificates?.[service];
  if (input.preview === true || name === undefined || pair === undefined) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: namespaceName(input.id),
      labels: { ...serviceLabels(input.id, service), [LABELS.tlsUpload]: 'true' },
      annotations: operationAnnotation(input),
    },
    type: 'kubernetes.io/tls',
    immutable: true,
    data: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
  };
}
