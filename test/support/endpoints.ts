import { type ApplicationKey, fail, ok, problem } from '../../src/kernel/index.ts';
import type {
  CertificateEntry,
  CertificatePair,
  CertificateStore,
  DomainClaim,
  DomainClaimCollection,
  TxtResolver,
} from '../../src/ports/index.ts';
import type { memoryCollection } from './memory-collection.ts';

/** Claims of custom domains in memory, with the port's meaning. */
export function memoryDomains(claims: ReturnType<typeof memoryCollection<DomainClaim>>): DomainClaimCollection {
  return {
    get: claims.get,
    create: claims.create,
    update: claims.update,
    updateStatus: claims.updateStatus,
    ofApplication: async (application) =>
      ok(
        [...claims.items.values()]
          .filter(({ spec }) => spec.application === application)
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      ),
    release: async ({ name, resourceVersion }) => {
      const current = claims.items.get(name);
      if (current !== undefined && current.resourceVersion !== resourceVersion) return fail(problem('conflict'));
      claims.items.delete(name);
      return ok(undefined);
    },
  };
}

export type MemoryCertificates = CertificateStore & {
  readonly items: Map<
    string,
    { readonly key: ApplicationKey; readonly entry: CertificateEntry; readonly pair: CertificatePair }
  >;
};

/** Uploaded certificates in memory, with the port's meaning. */
export function memoryCertificates(): MemoryCertificates {
  const items: MemoryCertificates['items'] = new Map();
  const own = (key: ApplicationKey, name: string) => {
    const found = items.get(name);
    return found !== undefined && JSON.stringify(found.key) === JSON.stringify(key) ? found : undefined;
  };
  return {
    items,
    list: async (key) =>
      ok(
        [...items.values()]
          .filter((one) => own(key, one.entry.name) !== undefined)
          .map(({ entry }) => entry)
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      ),
    add: async ({ project, environment, name }, entry, pair) => {
      const key = { project, environment, name };
      const known = own(key, entry.name);
      if (known !== undefined) return ok(known.entry);
      const made = { ...entry, uploadedAt: '2026-06-01T00:00:00.000Z' };
      items.set(entry.name, { key, entry: made, pair });
      return ok(made);
    },
    remove: async (key, name) => ok(own(key, name) !== undefined && items.delete(name)),
    read: async (key, name) => ok(own(key, name)?.pair),
  };
}

/** A public DNS that is a map; no records where it has none. */
export function memoryDns(records: ReadonlyMap<string, readonly string[]>): TxtResolver {
  return { txt: async (name) => ok(records.get(name) ?? []) };
}
