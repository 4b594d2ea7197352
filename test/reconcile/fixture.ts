import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { displayRef, type Manifest, refOf } from '../../src/kernel/index.ts';
import { inventoryEntry, type Owner } from '../../src/reconcile/index.ts';
import { ID } from '../render/fixture.ts';

export const DEFAULTED = join(import.meta.dirname, '../fixtures/defaulted');
export const OPERATION = 'acme.production.shop.3';

/** What we sent and what a real API server made of it; written by test/cluster/rendered-objects.test.ts. */
export type Defaulted = { readonly kubernetes: string; readonly desired: Manifest; readonly answer: Manifest };

/** All fixtures by `Kind/name`. */
export function defaulted(): ReadonlyMap<string, Defaulted> {
  const files = readdirSync(DEFAULTED).filter((name) => name.endsWith('.json'));
  const all = files.map((name) => JSON.parse(readFileSync(join(DEFAULTED, name), 'utf8')) as Defaulted);
  return new Map(all.map((fixture) => [displayRef(refOf(fixture.desired)), fixture]));
}

/** One fixture that must be there. */
export function fixtureOf(object: string): Defaulted {
  const found = defaulted().get(object);
  if (found === undefined) throw new Error(`no fixture for ${object}`);
  return found;
}

/** An owner whose inventory holds these live objects. */
export function ownerOf(...live: readonly Manifest[]): Owner {
  return { id: ID, operation: OPERATION, inventory: live.map(inventoryEntry) };
}
