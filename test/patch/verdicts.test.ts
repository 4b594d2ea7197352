import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PatchKind } from '../../src/patch/types.ts';
import { base, boundDeployment, type Loose, refusedFields } from './protect-fixture.ts';
import { type Row, verdictDocument, verdictRows } from './verdict-rows.ts';
import { CONDITIONS, changeOf } from './verdict-tries.ts';

const FILE = join(import.meta.dirname, '../../docs/kubernetes-patches-fields.md');
const rows = verdictRows();
if (process.env.UPDATE_GOLDEN === '1') writeFileSync(FILE, verdictDocument(rows));

/** Without what bindings add where the row needs a place that is free, which is affinity. */
function objectFor(kind: PatchKind): Loose {
  return kind === 'deployment' ? boundDeployment() : base(kind);
}

/** `spec.template.spec.containers[app].env[A].name` as the table writes it, for the elements of lists; keys of maps go. */
function asRow(field: string): string {
  return field.replace(/\[[^\]]*\]/g, '[]').replace(/(labels|annotations|nodeSelector|requests|limits)\[\]/, '$1');
}

/** The rows' two lists of containers. */
function pathsOf(row: Row): readonly string[] {
  const both = '{containers,initContainers}';
  return row.path.includes(both)
    ? ['containers', 'initContainers'].map((list) => row.path.replace(both, list))
    : [row.path];
}

describe('the table of verdicts', () => {
  it('is the one that was reviewed, for this version of Kubernetes', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(verdictDocument(rows));
  });
  it('tries every condition that depends on a value, and none that is not there', () => {
    const conditional = rows.filter(({ verdict, rule }) => verdict === 'condition' && rule.kind !== 'object');
    expect(Object.keys(CONDITIONS).sort()).toEqual(conditional.map(({ kind, path }) => `${kind} ${path}`).sort());
  });
});

describe.each(rows.map((row) => [`${row.kind} ${row.path}`, row] as const))('%s', (name, row) => {
  if (row.verdict === 'allowed') {
    it('is allowed', () => {
      for (const path of pathsOf(row)) {
        expect(refusedFields(row.kind, objectFor(row.kind), changeOf(path, row.type))).toEqual([]);
      }
    });
    return;
  }
  if (row.verdict === 'protected') {
    it('is protected', () => {
      for (const path of pathsOf(row)) {
        const refused = refusedFields(row.kind, objectFor(row.kind), changeOf(path, row.type)).map(asRow);
        expect(refused.length).toBeGreaterThan(0);
        for (const field of refused)
          expect(path === field || path.startsWith(field), `${field} for ${path}`).toBe(true);
      }
    });
    return;
  }
  const values = CONDITIONS[name];
  if (values === undefined) {
    it('keeps what has no row', () => {
      for (const path of pathsOf(row)) {
        const change = changeOf(`${path}.aFieldOfALaterVersion`, { scalar: 'string' });
        const refused = refusedFields(row.kind, objectFor(row.kind), change).map(asRow);
        expect(refused).toContain(`${path}.aFieldOfALaterVersion`);
      }
    });
    return;
  }
  it('is allowed by its condition', () => {
    const object = values.unbound === true ? base(row.kind) : objectFor(row.kind);
    expect(refusedFields(row.kind, object, values.allowed)).toEqual([]);
  });
  it('is refused by its condition', () => {
    const refused = refusedFields(row.kind, objectFor(row.kind), values.refused).map(asRow);
    expect(refused.length).toBeGreaterThan(0);
    const path = row.path.replace('{containers,initContainers}', 'containers');
    for (const field of refused) expect(field.startsWith(path) || path.startsWith(field), field).toBe(true);
  });
});
