import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  certificateName,
  certificateProblems,
  coversHost,
  publicHost,
  readCertificate,
  renderApplication,
} from '../../src/render/index.ts';
import { ID, inputFor, rendered } from './fixture.ts';

const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/certificates', name), 'utf8');
const WILDCARD = read('wildcard.pem');
const INTERMEDIATE = read('intermediate.pem');
const KEY = read('wildcard.key');
const NOW = new Date('2026-11-30T00:00:00Z');
const leaf = WILDCARD.slice(0, WILDCARD.indexOf('-----END') + 26);

function facts(certificate = WILDCARD, key = KEY) {
  const result = readCertificate({ certificate, key }, NOW);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

describe('an uploaded certificate', () => {
  it('says which hosts it is for and when, and is kept as PEM and nothing else', () => {
    const value = facts(`Bag Attributes\n  friendlyName: x\n${WILDCARD}`, `noise\n${KEY}noise`);
    expect(value).toMatchObject({
      hosts: ['*.apps.example.test', 'shop.example.com'],
      notBefore: '2026-01-01T00:00:00.000Z',
      notAfter: '2056-01-01T00:00:00.000Z',
    });
    expect(value.certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(`${value.certificate}${value.key}`).not.toMatch(/noise|friendlyName/);
    expect(new X509Certificate(value.certificate).fingerprint256).toBe(new X509Certificate(WILDCARD).fingerprint256);
  });

  it.each([
    ['no certificate', 'x', KEY, 'certificate_pem'],
    [
      'a certificate that is none',
      leaf.replace(/[A-Z]/, 'a').slice(0, 200).concat('\n-----END CERTIFICATE-----'),
      KEY,
      'certificate_pem',
    ],
    ['the chain in the wrong order', `${INTERMEDIATE}${leaf}`, KEY, 'certificate_pem'],
    ['a stranger in the chain', `${leaf}${read('exact.pem')}`, KEY, 'certificate_pem'],
    ['eleven certificates', leaf.concat('\n').repeat(11), KEY, 'certificate_pem'],
    ['one that is over', read('expired.pem'), read('expired.key'), 'certificate_pem'],
    ['one that has not begun', read('future.pem'), read('future.key'), 'certificate_pem'],
    ['one with a common name alone', read('nameless.pem'), read('nameless.key'), 'certificate_pem'],
    ['an RSA key of 1024 bits', read('weak.pem'), read('weak.key'), 'certificate_pem'],
    ['no key', WILDCARD, WILDCARD, 'private_key_pem'],
    ['a key with a passphrase', WILDCARD, read('encrypted.key'), 'private_key_pem'],
    ['the key of another', WILDCARD, read('exact.key'), 'private_key_pem'],
  ])('is refused with %s', (_, certificate, key, at) => {
    const result = readCertificate({ certificate, key }, NOW);
    expect(result).toMatchObject({ ok: false, problem: { code: 'invalid_certificate', at } });
    expect(JSON.stringify(result)).not.toMatch(/BEGIN|MII/);
  });

  it('may come without its chain', () => {
    expect(facts(leaf).hosts).toEqual(facts().hosts);
  });

  it('is good until its last moment', () => {
    const until = (now: string) => readCertificate({ certificate: WILDCARD, key: KEY }, new Date(now)).ok;
    expect([until('2055-12-31T23:59:59Z'), until('2056-01-01T00:00:00Z')]).toEqual([true, false]);
    expect([until('2026-01-01T00:00:00Z'), until('2025-12-31T23:59:59Z')]).toEqual([true, false]);
  });

  it('has a name of 63 characters at most, of its content, its application and its service', () => {
    const name = certificateName('scope', 'web', facts());
    expect(name).toMatch(/^hp-tls-web-[0-9a-f]{32}$/);
    expect(certificateName('scope', 'web', facts(`\n${WILDCARD}`))).toBe(name);
    const others = [
      certificateName('other', 'web', facts()),
      certificateName('scope', 'wep', facts()),
      certificateName('scope', 'web', facts(leaf)),
    ];
    expect(new Set([name, ...others]).size).toBe(4);
    const long = certificateName('scope', 'a'.repeat(40), facts());
    expect(long.length).toBe(63);
    expect(long.startsWith(`hp-tls-${'a'.repeat(23)}-`)).toBe(true);
  });
});

describe('the hosts a certificate covers', () => {
  it.each([
    ['a.apps.example.test', true],
    ['apps.example.test', false],
    ['a.b.apps.example.test', false],
    ['shop.example.com', true],
    ['www.shop.example.com', false],
    ['xapps.example.test', false],
  ])('%s: %s', (host, covered) => {
    expect(coversHost(facts().hosts, host)).toBe(covered);
    expect(new X509Certificate(WILDCARD).checkHost(host, { subject: 'never' }) !== undefined).toBe(covered);
  });

  it('are those that Node says', () => {
    const certificate = new X509Certificate(WILDCARD);
    const label = fc.constantFrom('a', 'b-c', 'apps', 'shop', 'example', 'www');
    const tail = fc.constantFrom('apps.example.test', 'example.test', 'shop.example.com', 'example.com', 'test.com');
    fc.assert(
      fc.property(fc.array(label, { maxLength: 3 }), tail, (labels, end) => {
        const host = [...labels, end].join('.');
        const expected = certificate.checkHost(host, { subject: 'never' }) !== undefined;
        expect(coversHost(facts().hosts, host)).toBe(expected);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

const NAME = certificateName('scope', 'web', facts());
const SPEC = `name = "shop"
[domains]
"shop.example.com" = "web"
[services.web]
image = "registry.example.com/web:1"
port = 8080
public = true
tls = { certificate = "${NAME}" }
[[services.web.ports]]
name = "console"
port = 9000
[services.web.http.console]
port = 9000
[services.plain]
image = "registry.example.com/web:1"
port = 8080
public = true
`;
const kept = {
  name: NAME,
  service: 'web',
  hosts: ['*.apps.example.test', 'shop.example.com'],
  notAfter: '2056-01-01T00:00:00Z',
};

describe('a plan with uploaded certificates', () => {
  const { application } = inputFor(SPEC, { preview: true });
  const judge = (one: Partial<typeof kept> | undefined, appDomain = 'apps.example.test', now = NOW) =>
    certificateProblems(
      { application, id: ID, options: { appDomain } },
      one === undefined ? [] : [{ ...kept, ...one }],
      now,
    ).map(({ code, at, message }) => [code, at, message]);

  it('is fine when every host is covered, additional endpoints and custom domains too', () => {
    expect(judge({})).toEqual([]);
  });

  it.each([
    ['of its own', { hosts: ['shop.example.com'] }, publicHost('web', ID, 'apps.example.test')],
    [
      'of an endpoint',
      { hosts: [publicHost('web', ID, 'apps.example.test'), 'shop.example.com'] },
      publicHost('web-console', ID, 'apps.example.test'),
    ],
    ['of its own domain, which is not verified yet', { hosts: ['*.apps.example.test'] }, 'shop.example.com'],
  ])('names the host that is not covered: the one %s', (_, one, host) => {
    expect(judge(one)).toEqual([['certificate_refused', 'services.web.tls.certificate', `does not cover ${host}`]]);
  });

  it.each([
    ['is not there', undefined, 'certificate_missing'],
    ['is for another service', { service: 'plain' }, 'certificate_missing'],
    ['is over', { notAfter: NOW.toISOString() }, 'certificate_refused'],
  ])('refuses one that %s', (_, one, code) => {
    expect(judge(one)).toMatchObject([[code, 'services.web.tls.certificate', expect.any(String)]]);
  });
});

describe('rendering an uploaded certificate', () => {
  const pair = { certificate: Buffer.from(WILDCARD).toString('base64'), key: Buffer.from(KEY).toString('base64') };
  const input = inputFor(SPEC, { certificates: { web: pair }, domains: ['shop.example.com'] });
  const web = rendered(input).workloads.find(({ service }) => service === 'web');

  it('is a Secret of the namespace that the Ingress names, immutable and marked', () => {
    expect(web?.certificate).toMatchObject({
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      immutable: true,
      metadata: {
        name: NAME,
        namespace: `hp-${ID}`,
        labels: { 'hakopod.io/tls-upload': 'true', 'hakopod.io/service': 'web', 'hakopod.io/application-id': ID },
      },
      data: { 'tls.crt': pair.certificate, 'tls.key': pair.key },
    });
    const hosts = [
      publicHost('web', ID, 'apps.example.com'),
      publicHost('web-console', ID, 'apps.example.com'),
      'shop.example.com',
    ];
    expect(web?.ingress?.spec).toMatchObject({ tls: [{ hosts, secretName: NAME }] });
  });

  it('asks no issuer, also when the installation has one, and sends people to https', () => {
    const annotations = web?.ingress?.metadata.annotations ?? {};
    expect(Object.keys(annotations).filter((key) => key.startsWith('cert-manager'))).toEqual([]);
    expect(annotations['haproxy.org/ssl-redirect']).toBe('true');
  });

  it('is refused without the certificate, naming the service', () => {
    expect(renderApplication({ ...input, certificates: {} })).toMatchObject({
      ok: false,
      problem: { code: 'certificate_missing', at: 'services.web.tls.certificate' },
    });
  });

  it('shows no certificate in a preview', () => {
    const preview = rendered({ ...input, certificates: {}, preview: true });
    expect(JSON.stringify(preview)).not.toMatch(/tls\.key/);
  });
});
