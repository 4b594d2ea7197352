import { denied, isAdmin } from '../../../access/index.ts';
import { fail, ok } from '../../../kernel/index.ts';
import type { AuditFilters, AuditOperations, AuditRecord } from '../../../ports/api/index.ts';
import type { AuditEntry, AuditTrail } from '../../../ports/index.ts';
import type { ListName, Pager } from '../page.ts';
import { csvLine } from './csv.ts';

/** Rows of one export (facts 7.8); the next one goes on with the cursor. */
const EXPORT_ROWS = 1000;

/** The trail of changes, for administrators. */
export function auditOperations(deps: { readonly audit: AuditTrail; readonly pager: Pager }): AuditOperations {
  const read = async (list: ListName, filters: AuditFilters, page: { cursor: string | undefined; limit: number }) => {
    const after = deps.pager.after(list, page.cursor);
    if (!after.ok) return after;
    const found = await deps.audit.page(filters, { after: after.value, limit: page.limit + 1 });
    if (!found.ok) return found;
    const entries = found.value.slice(0, page.limit);
    const last = entries.at(-1);
    const hasMore = found.value.length > entries.length && last !== undefined;
    return ok({ entries, ...(hasMore ? { next_cursor: deps.pager.cursor(list, last.id) } : {}) });
  };

  return {
    list: async (principal, { cursor, limit, ...rest }) => {
      if (!isAdmin(principal)) return fail(denied('admin', {}));
      const filters = filtersOf(rest);
      const page = await read({ name: 'audit', filters }, filters, { cursor, limit });
      if (!page.ok) return page;
      const { entries, ...next } = page.value;
      return ok({ items: entries.map(recordView), ...next });
    },
    exportRows: async (principal, { cursor, format, ...rest }) => {
      if (!isAdmin(principal)) return fail(denied('admin', {}));
      const filters = filtersOf(rest);
      const list = { name: 'audit-export', filters: { ...filters, format } };
      const page = await read(list, filters, { cursor, limit: EXPORT_ROWS });
      if (!page.ok) return page;
      const { entries, ...next } = page.value;
      const records = entries.map(recordView);
      // Only the first part of an export has the heading, so that the parts can be put together.
      const heading = cursor === undefined ? [csvLine([...COLUMNS.keys()])] : [];
      const rows =
        format === 'csv'
          ? [
              ...heading,
              ...records.map((record) => csvLine([...COLUMNS.values()].map((column) => column(record) ?? ''))),
            ]
          : records.map((record) => `${JSON.stringify(record)}\n`);
      return ok({ type: format === 'csv' ? 'text/csv' : 'application/jsonl', text: rows.join(''), ...next });
    },
  };
}

function filtersOf(filters: AuditFilters): AuditFilters {
  const { identity, key, action, project, environment, application, since, until } = filters;
  return { identity, key, action, project, environment, application, since, until };
}

const COLUMNS: ReadonlyMap<string, (record: AuditRecord) => string | undefined> = new Map([
  ['time', (record: AuditRecord) => record.time],
  ['identity', (record: AuditRecord) => record.identity],
  ['key', (record: AuditRecord) => record.key],
  ['origin', (record: AuditRecord) => record.origin],
  ['source', (record: AuditRecord) => record.source],
  ['commit', (record: AuditRecord) => record.commit],
  ['action', (record: AuditRecord) => record.action],
  ['kind', (record: AuditRecord) => record.resource.kind],
  ['project', (record: AuditRecord) => record.resource.project],
  ['environment', (record: AuditRecord) => record.resource.environment],
  ['application', (record: AuditRecord) => record.resource.application],
  ['name', (record: AuditRecord) => record.resource.name],
  ['before', (record: AuditRecord) => record.before],
  ['after', (record: AuditRecord) => record.after],
  ['request_id', (record: AuditRecord) => record.request_id],
  ['id', (record: AuditRecord) => record.id],
]);

function recordView({ requestId, resource, ...event }: AuditEntry): AuditRecord {
  return { ...event, resource: { ...resource }, ...(requestId === undefined ? {} : { request_id: requestId }) };
}
