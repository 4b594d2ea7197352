import { beforeEach, describe, expect, it } from 'vitest';
import { fail, problem } from '../../../src/kernel/index.ts';
import {
  activeDomains,
  checkDomain,
  domainRefusals,
  dropDomains,
  forgetDomains,
  recheckDomains,
  reserveDomains,
} from '../../../src/pipeline/endpoints/index.ts';
import type { Application as ApplicationResource } from '../../../src/ports/index.ts';
import { domainChallenge, domainToken } from '../../../src/reconcile/index.ts';
import { type Application, parseSpec } from '../../../src/spec/index.ts';
import { type Memory, memory, SOURCE } from '../../support/memory.ts';

const SHOP = '1'.repeat(32);
const BLOG = '2'.repeat(32);

let world: Memory;
let shop: ApplicationResource;
let blog: ApplicationResource;
beforeEach(async () => {
  world = await memory();
  const place = { project: 'acme', environment: 'production' };
  await world.applications.create({ name: 'acme.production.blog', spec: { id: BLOG, ...place, name: 'blog' } });
  shop = world.applications.items.get(SOURCE) as ApplicationResource;
  blog = world.applications.items.get('acme.production.blog') as ApplicationResource;
});

function wants(...domains: readonly string[]): Application {
  const lines = domains.map((host) => `"${host}" = "web"`);
  const parsed = parseSpec(
    `name = "shop"\n[domains]\n${lines.join('\n')}\n[services.web]\nimage = "r.example.com/a:1"\nport = 80\npublic = true\n`,
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.application;
}

const reserve = (application: ApplicationResource, revision: number, ...domains: readonly string[]) =>
  reserveDomains(world.deps, { application, revision, desired: wants(...domains) });

async function refusals(id: string | undefined, ...domains: readonly string[]): Promise<unknown> {
  const answer = await domainRefusals(world.deps, { id, application: wants(...domains) });
  return answer.ok ? answer.value.map(({ code, at }) => [code, at]) : answer.problem.code;
}

const drop = (revision: number, ...domains: readonly string[]) =>
  dropDomains(world.deps, { application: SOURCE, id: SHOP, revision, desired: wants(...domains) });

const held = (): readonly string[] => [...world.domains.items.keys()].sort();

async function verify(host: string): Promise<void> {
  const claim = world.domains.items.get(host);
  if (claim === undefined) throw new Error(`nobody holds ${host}`);
  const { name, value } = domainChallenge(host, claim.spec.token);
  world.records.set(name, [value]);
  await checkDomain(world.deps, claim);
}

describe('a custom domain', () => {
  it('is reserved for its application, and refused to every other', async () => {
    expect(await reserve(shop, 1, 'shop.example.com')).toMatchObject({ ok: true });
    expect(await refusals(SHOP, 'shop.example.com')).toEqual([]);
    expect(await refusals(BLOG, 'a.example.com', 'shop.example.com')).toEqual([
      ['domain_taken', 'domains."shop.example.com"'],
    ]);
    expect(await refusals(undefined, 'shop.example.com')).toMatchObject([['domain_taken', expect.any(String)]]);
    expect(await reserve(blog, 1, 'shop.example.com')).toMatchObject({ ok: false, problem: { code: 'domain_taken' } });
    expect(world.domains.items.get('shop.example.com')?.spec.applicationId).toBe(SHOP);
  });

  it('has one holder when two applications ask at once', async () => {
    const answers = await Promise.all([reserve(shop, 1, 'x.example.com'), reserve(blog, 1, 'x.example.com')]);
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  it('goes from whoever never proved it to whoever does, and not back', async () => {
    const host = 'theirs.example.com';
    await reserve(blog, 1, host);
    const asked = await domainRefusals(world.deps, { id: SHOP, application: wants(host) });
    const { name, value } = domainChallenge(host, domainToken(world.deps.options.snapshotKey, SHOP, host));
    expect(asked.ok && asked.value[0]?.message).toContain(`a TXT record ${name} says ${value}`);
    const stranger = domainToken(world.deps.options.snapshotKey, BLOG, host);
    world.records.set(name, [domainChallenge(host, stranger).value]);
    expect(await reserve(shop, 1, host)).toMatchObject({ ok: false, problem: { code: 'domain_taken' } });
    world.records.set(name, ['other', value]);
    expect(await refusals(undefined, host)).toMatchObject([['domain_taken', expect.any(String)]]);
    expect(await refusals(SHOP, host)).toEqual([]);
    expect(await reserve(shop, 1, host)).toMatchObject({ ok: true });
    expect(world.domains.items.get(host)?.spec.applicationId).toBe(SHOP);
    expect(await reserve(blog, 2, host)).toMatchObject({ ok: false, problem: { code: 'domain_taken' } });
  });

  it('stays with whoever proved it, whatever the record says since, and while the name servers do not answer', async () => {
    const host = 'shop.example.com';
    await reserve(shop, 1, host);
    await verify(host);
    const { name, value } = domainChallenge(host, domainToken(world.deps.options.snapshotKey, BLOG, host));
    world.records.set(name, [value]);
    expect(await reserve(blog, 1, host)).toMatchObject({ ok: false, problem: { code: 'domain_taken' } });
    await reserve(blog, 1, 'x.example.com');
    Object.assign(world.deps, { dns: { txt: async () => fail(problem('dns_unavailable')) } });
    expect(await refusals(SHOP, 'x.example.com')).toMatchObject([['domain_taken', expect.any(String)]]);
  });

  it('is refused under the application domain, whose names are given out', async () => {
    expect(await refusals(SHOP, 'web-222222222222.apps.example.test')).toMatchObject([
      ['domain_taken', expect.any(String)],
    ]);
    expect(await refusals(SHOP, 'apps.example.test')).toMatchObject([['domain_taken', expect.any(String)]]);
    expect(await refusals(SHOP, 'xapps.example.test')).toEqual([]);
  });

  it('keeps its claim, verification and token when it is reserved again', async () => {
    await reserve(shop, 1, 'shop.example.com');
    await verify('shop.example.com');
    const before = world.domains.items.get('shop.example.com');
    await reserve(shop, 4, 'shop.example.com');
    await reserve(shop, 2, 'shop.example.com');
    const after = world.domains.items.get('shop.example.com');
    expect(after?.spec).toEqual({ ...before?.spec, revision: 4 });
    expect(after?.status).toEqual(before?.status);
  });

  it('is free when its holder was deleted by hand, or is another one of the same name', async () => {
    await reserve(blog, 1, 'blog.example.com');
    world.applications.items.delete('acme.production.blog');
    expect(await refusals(SHOP, 'blog.example.com')).toEqual([]);
    expect(await reserve(shop, 1, 'blog.example.com')).toMatchObject({ ok: true });
    expect(world.domains.items.get('blog.example.com')?.spec.applicationId).toBe(SHOP);
  });

  it('leads nowhere until it is verified, and only where the revision names it', async () => {
    await reserve(shop, 1, 'a.example.com', 'b.example.com');
    const active = async (...domains: readonly string[]) => {
      const answer = await activeDomains(world.deps, shop, wants(...domains));
      return answer.ok ? answer.value : answer.problem.code;
    };
    expect(await active('a.example.com', 'b.example.com')).toEqual([]);
    await verify('b.example.com');
    expect(await active('a.example.com', 'b.example.com')).toEqual(['b.example.com']);
    expect(await active('a.example.com')).toEqual([]);
  });

  it('does not lead to an application of the same name that came later', async () => {
    await reserve(shop, 1, 'a.example.com');
    await verify('a.example.com');
    const later = { ...shop, spec: { ...shop.spec, id: '3'.repeat(32) } };
    expect(await activeDomains(world.deps, later, wants('a.example.com'))).toEqual({ ok: true, value: [] });
  });
});

describe('letting go of domains', () => {
  it('frees what a released revision does not name any more', async () => {
    await reserve(shop, 1, 'a.example.com', 'b.example.com');
    await drop(1, 'a.example.com', 'b.example.com');
    expect(held()).toEqual(['a.example.com', 'b.example.com']);
    await drop(2, 'b.example.com');
    expect(held()).toEqual(['b.example.com']);
  });

  it('leaves what a newer accepted revision names', async () => {
    await reserve(shop, 3, 'new.example.com');
    await drop(2, 'a.example.com');
    expect(held()).toEqual(['new.example.com']);
  });

  it('leaves a claim that is renewed in the same moment', async () => {
    await reserve(shop, 1, 'a.example.com');
    const { ofApplication } = world.deps.store.domains;
    world.deps.store.domains.ofApplication = async (name) => {
      const listed = await ofApplication(name);
      await reserve(shop, 3, 'a.example.com');
      return listed;
    };
    expect(await drop(2)).toMatchObject({ ok: true });
    expect(held()).toEqual(['a.example.com']);
  });

  it('frees all of an application that is removed, and none of others', async () => {
    await reserve(shop, 9, 'a.example.com', 'b.example.com');
    await reserve(blog, 1, 'c.example.com');
    await forgetDomains(world.deps, SOURCE);
    expect(held()).toEqual(['c.example.com']);
  });
});

describe('looking at domains again', () => {
  const recheck = (...domains: readonly string[]) =>
    recheckDomains(world.deps, { application: SOURCE, id: SHOP, desired: wants(...domains) });

  it('verifies a pending one by itself, and asks again only when it is time', async () => {
    await reserve(shop, 1, 'a.example.com');
    const asked: string[] = [];
    const { txt } = world.deps.dns;
    world.deps.dns.txt = async (name) => {
      asked.push(name);
      return txt(name);
    };
    await recheck('a.example.com');
    await recheck('a.example.com');
    expect(asked).toEqual(['_hakopod-challenge.a.example.com']);
    const claim = world.domains.items.get('a.example.com');
    expect(claim?.status.code).toBe('domain_not_verified');
    const { name, value } = domainChallenge('a.example.com', claim?.spec.token ?? '');
    world.records.set(name, [value]);
    world.now = new Date(world.now.getTime() + 5 * 60_000);
    await recheck('a.example.com');
    expect(world.domains.items.get('a.example.com')?.status.verifiedAt).toBe(world.now.toISOString());
  });

  it('puts on record that the name servers were away, and asks for nothing without domains', async () => {
    await reserve(shop, 1, 'a.example.com');
    world.deps.dns.txt = async () => fail(problem('dns_unavailable'));
    expect(await recheck()).toMatchObject({ ok: true });
    expect(world.domains.items.get('a.example.com')?.status).toEqual({});
    expect(await recheck('a.example.com')).toMatchObject({ ok: true });
    expect(world.domains.items.get('a.example.com')?.status).toMatchObject({ code: 'dns_unavailable' });
  });

  it('takes no answer for the claim of another', async () => {
    await reserve(shop, 1, 'a.example.com');
    const claim = world.domains.items.get('a.example.com');
    if (claim === undefined) throw new Error('no claim');
    const { name, value } = domainChallenge('a.example.com', claim.spec.token);
    world.records.set(name, [value]);
    world.domains.items.set('a.example.com', { ...claim, uid: 'another' });
    await checkDomain(world.deps, claim);
    expect(world.domains.items.get('a.example.com')?.status).toEqual({});
  });
});
