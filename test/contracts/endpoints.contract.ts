import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createCertificateStore, createStore, ensureCrds } from '../../src/adapters/store/index.ts';
import { LIMITS } from '../../src/kernel/index.ts';
import type { CertificateStore, DomainClaim, Store } from '../../src/ports/index.ts';
import { type ClusterUnderTest, memoryLog, realClock } from '../support/kubernetes.ts';
import { must, type Skips, testsWith } from './cluster.contract.ts';

const KEY = { project: 'acme', environment: 'production', name: 'shop' };
const OTHER = { ...KEY, name: 'blog' };
const read = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../fixtures/certificates', name), 'utf8');
const PAIR = { certificate: read('exact.pem'), key: read('exact.key') };

/** What claims of custom domains and uploaded certificates promise over any cluster. */
export function describeEndpointsContract(
  name: string,
  factory: () => Promise<ClusterUnderTest>,
  options: Skips = {},
): void {
  const test = testsWith(options);
  describe(`domains and certificates contract: ${name}`, () => {
    let under: ClusterUnderTest;
    let store: Store;
    let certificates: CertificateStore;
    beforeAll(async () => {
      under = await factory();
      must(await ensureCrds(under.cluster, realClock));
      const { cluster, namespace } = under;
      store = createStore({ cluster, namespace, log: memoryLog() });
      certificates = createCertificateStore({ cluster, namespace, clock: realClock });
    });
    afterAll(() => under.close());

    const claim = async (host: string, application = 'a.b.c'): Promise<DomainClaim> =>
      must(
        await store.domains.create({
          name: host,
          spec: { host, application, applicationId: '1'.repeat(32), token: 't', revision: 1 },
        }),
      );
    const entry = (hex: string, service = 'web') => ({
      name: `hp-tls-${service}-${hex.padStart(32, '0')}`,
      service,
      hosts: ['*.apps.example.test', 'shop.example.com'],
      notBefore: '2026-01-01T00:00:00.000Z',
      notAfter: '2056-01-01T00:00:00.000Z',
    });
    const codeOf = (result: { readonly ok: boolean; readonly problem?: { readonly code: string } }): string =>
      result.ok ? 'ok' : (result.problem?.code ?? '');

    test('a domain has one holder', async () => {
      await claim('one.example.com');
      const second = store.domains.create({
        name: 'one.example.com',
        spec: { host: 'one.example.com', application: 'x.y.z', applicationId: '2'.repeat(32), token: 'u', revision: 1 },
      });
      expect(codeOf(await second)).toBe('already_exists');
      expect(must(await store.domains.get('one.example.com'))?.spec.application).toBe('a.b.c');
      expect(must(await store.domains.get('none.example.com'))).toBeUndefined();
    });

    test('the longest host there may be can be claimed', async () => {
      const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(58)}.de`;
      expect(host.length).toBe(244);
      expect((await claim(host, 'long.b.c')).name).toBe(host);
    });

    test('whose a domain is never changes; the revision that wants it does', async () => {
      await claim('fixed.example.com');
      const change = (part: object) =>
        store.domains.update('fixed.example.com', ({ spec }) => ({ spec: { ...spec, ...part } }));
      for (const part of [
        { host: 'x.example.com' },
        { application: 'x.y.z' },
        { applicationId: '2'.repeat(32) },
        { token: 'u' },
      ])
        expect(codeOf(await change(part))).toBe('invalid_object');
      expect(must(await change({ revision: 5 })).spec.revision).toBe(5);
    });

    test('the claims of one application are listed by host', async () => {
      for (const host of ['z.example.com', 'y.example.com']) await claim(host, 'listed.b.c');
      await claim('other.example.com', 'listed.b.d');
      const listed = must(await store.domains.ofApplication('listed.b.c'));
      expect(listed.map(({ name: host }) => host)).toEqual(['y.example.com', 'z.example.com']);
    });

    test('a claim is let go only as it was read', async () => {
      const old = await claim('gone.example.com');
      const verified = must(
        await store.domains.updateStatus('gone.example.com', () => ({ verifiedAt: '2026-01-01T00:00:00.000Z' })),
      );
      expect(codeOf(await store.domains.release(old))).toBe('conflict');
      expect(must(await store.domains.get('gone.example.com'))?.status.verifiedAt).toBe('2026-01-01T00:00:00.000Z');
      must(await store.domains.release(verified));
      expect(must(await store.domains.get('gone.example.com'))).toBeUndefined();
      must(await store.domains.release(verified));
    });

    test('a certificate is kept once, read by its application alone, and listed without its key', async () => {
      const made = must(await certificates.add(KEY, entry('1'), PAIR));
      expect(made).toMatchObject(entry('1'));
      expect(must(await certificates.add(KEY, entry('1'), PAIR))).toEqual(made);
      expect(must(await certificates.list(KEY))).toEqual([made]);
      expect(JSON.stringify(must(await certificates.list(KEY)))).not.toMatch(/BEGIN/);
      expect(must(await certificates.read(KEY, made.name))).toEqual(PAIR);
      expect(must(await certificates.read(OTHER, made.name))).toBeUndefined();
      expect(must(await certificates.list(OTHER))).toEqual([]);
      expect(must(await certificates.remove(OTHER, made.name))).toBe(false);
      expect(codeOf(await certificates.add(OTHER, entry('1'), PAIR))).toBe('not_owned');
      expect(must(await certificates.remove(KEY, made.name))).toBe(true);
      expect(must(await certificates.remove(KEY, made.name))).toBe(false);
      expect(must(await certificates.read(KEY, made.name))).toBeUndefined();
    });

    test('a certificate is a TLS Secret that can not be changed', async () => {
      const { name: secretName } = must(await certificates.add(KEY, entry('2'), PAIR));
      const ref = { apiVersion: 'v1', kind: 'Secret', namespace: under.namespace, name: secretName };
      const secret = must(await under.cluster.get(ref));
      expect(secret).toMatchObject({ type: 'kubernetes.io/tls', immutable: true });
      expect(secret?.metadata.labels).toMatchObject({ 'hakopod.io/tls-upload': 'true' });
      const changed = await under.cluster.replace({ ...secret!, data: { 'tls.crt': 'eA==', 'tls.key': 'eA==' } });
      expect(codeOf(changed)).toBe('invalid_object');
    });

    test('one service has at most 64', async () => {
      for (let i = 0; i < LIMITS.certificatesPerService; i += 1)
        must(await certificates.add(OTHER, entry(`${i}f`, 'full'), PAIR));
      expect(codeOf(await certificates.add(OTHER, entry('aaaa', 'full'), PAIR))).toBe('limit_reached');
      expect(codeOf(await certificates.add(OTHER, entry('1f', 'full'), PAIR))).toBe('ok');
      expect(codeOf(await certificates.add(OTHER, entry('bbbb', 'free'), PAIR))).toBe('ok');
    });
  });
}
