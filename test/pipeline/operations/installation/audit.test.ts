import { describe, expect, it } from 'vitest';
import { ok } from '../../../../src/kernel/index.ts';
import { csvLine } from '../../../../src/pipeline/operations/installation/csv.ts';
import { auditOperations, retainAudit } from '../../../../src/pipeline/operations/installation/index.ts';
import type { AuditEvent } from '../../../../src/ports/index.ts';
import { ADMIN, codeOf, INFO, must, operationsWorld } from '../../../support/operations.ts';
import { addPerson } from '../../../support/people.ts';

async function withTrail(count: number, change: Partial<AuditEvent> = {}) {
  const world = await operationsWorld();
  for (let n = 0; n < count; n += 1)
    await world.deps.audit.append({
      time: new Date(Date.parse('2026-06-01T00:00:00Z') + n * 1000).toISOString(),
      identity: n % 2 === 0 ? 'ada' : 'bob',
      origin: 'api',
      action: 'key.create',
      resource: { kind: 'Key', project: 'acme', name: `${n}` },
      requestId: INFO.id,
      ...change,
    });
  return { ...world, audit: auditOperations(world.deps) };
}

describe('the trail of changes', () => {
  it('is listed newest first, page by page', async () => {
    const { audit } = await withTrail(5);
    const first = must(await audit.list(ADMIN, { limit: 2 }, INFO));
    const second = must(await audit.list(ADMIN, { limit: 2, cursor: first.next_cursor }, INFO));
    const third = must(await audit.list(ADMIN, { limit: 2, cursor: second.next_cursor }, INFO));
    expect([first, second, third].map(({ items }) => items.map(({ resource }) => resource.name))).toEqual([
      ['4', '3'],
      ['2', '1'],
      ['0'],
    ]);
    expect(third.next_cursor).toBeUndefined();
    expect(first.items[0]).toMatchObject({ identity: 'ada', origin: 'api', request_id: INFO.id });
  });

  it('has no cursor after a page that ends exactly', async () => {
    const { audit } = await withTrail(2);
    expect(must(await audit.list(ADMIN, { limit: 2 }, INFO)).next_cursor).toBeUndefined();
  });

  it('is filtered, and a cursor belongs to its filters', async () => {
    const { audit } = await withTrail(4);
    const bobs = must(await audit.list(ADMIN, { limit: 1, identity: 'bob' }, INFO));
    expect(bobs.items.map(({ identity }) => identity)).toEqual(['bob']);
    const mixed = await audit.list(ADMIN, { limit: 1, identity: 'ada', cursor: bobs.next_cursor }, INFO);
    expect(codeOf(mixed)).toBe('invalid_request query.cursor');
  });

  it('is for administrators alone', async () => {
    const { audit, as, deps } = await withTrail(1);
    const { raw } = await addPerson(deps, { name: 'dev', holds: ['settings:write'], key: ['settings:write'] });
    const dev = await as(raw);
    expect(codeOf(await audit.list(dev, { limit: 1 }, INFO))).toBe('permission_denied');
    expect(codeOf(await audit.exportRows(dev, { format: 'csv' }, INFO))).toBe('permission_denied');
  });

  it('is exported as JSON lines and as CSV, a thousand rows at a time', async () => {
    const { audit } = await withTrail(1001);
    const lines = must(await audit.exportRows(ADMIN, { format: 'jsonl' }, INFO));
    expect(lines.type).toBe('application/jsonl');
    const records = lines.text.trimEnd().split('\n');
    expect(records).toHaveLength(1000);
    expect(JSON.parse(records[0]!).resource.name).toBe('1000');
    const rest = must(await audit.exportRows(ADMIN, { format: 'jsonl', cursor: lines.next_cursor }, INFO));
    expect(rest.text.trimEnd().split('\n')).toHaveLength(1);
    expect(rest.next_cursor).toBeUndefined();
    const csv = must(await audit.exportRows(ADMIN, { format: 'csv' }, INFO));
    const rows = csv.text.split('\r\n');
    expect(rows).toHaveLength(1002);
    expect(rows[0]).toBe(
      'time,identity,key,origin,source,commit,action,kind,project,environment,application,name,before,after,request_id,id',
    );
    expect(rows[1]).toMatch(/^2026-06-01T00:16:40.000Z,ada,,api,,,key.create,Key,acme,,,1000,,,f{32},/);
    const next = must(await audit.exportRows(ADMIN, { format: 'csv', cursor: csv.next_cursor }, INFO));
    expect(next.text.startsWith('2026')).toBe(true);
  });

  it('makes no formula of any cell', async () => {
    const { audit } = await withTrail(1, { identity: '=HYPERLINK("http://x")', action: '@SUM(1,2)' });
    const { text } = must(await audit.exportRows(ADMIN, { format: 'csv' }, INFO));
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain(`"'@SUM(1,2)"`);
    for (const start of ['=', '+', '-', '@', '\t', '\r', '\n'])
      expect(
        csvLine([`${start}1`])
          .replace('"', '')
          .startsWith("'"),
      ).toBe(true);
    expect(csvLine(['a', 'b,c', 'd"e', 'f\ng'])).toBe('a,"b,c","d""e","f\ng"\r\n');
  });

  it('is forgotten by number and by age', async () => {
    const { deps, world } = await withTrail(0);
    const asked: unknown[] = [];
    const audit = {
      prune: async (keep: unknown) => {
        asked.push(keep);
        return ok(1);
      },
    };
    must(await retainAudit({ audit, clock: deps.clock }, { records: 10, days: 2 }));
    expect(asked).toEqual([{ records: 10, since: new Date(world.now.getTime() - 2 * 86_400_000) }]);
  });
});
