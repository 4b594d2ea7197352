import { z } from 'zod';
import { type AuditExport, AuditExportQuery, AuditPage, AuditQuery } from '../../../ports/api/index.ts';
import { type ApiRoute, route } from '../route.ts';

const tag = 'audit';
const needs = { all: ['admin'] } as const;

/** The trail of changes (facts 7.8, 9.4). */
export const AUDIT_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'get',
    path: '/audit',
    id: 'listAudit',
    tag,
    summary: 'Changes, newest first',
    needs,
    query: AuditQuery,
    answer: AuditPage,
    example: { query: { action: 'key.create', limit: '10' } },
    operation: (operations) => operations.audit.list,
  }),
  route({
    method: 'get',
    path: '/audit/export',
    id: 'exportAudit',
    tag,
    summary: 'Up to 1,000 changes as CSV or JSON lines; X-Hakopod-Next-Cursor has the cursor of the rest',
    needs,
    query: AuditExportQuery,
    answer: z.string(),
    types: ['text/csv', 'application/jsonl'],
    example: { query: { format: 'csv' } },
    operation: (operations) => operations.audit.exportRows,
    respond: (rows: AuditExport) =>
      new Response(rows.text, {
        headers: {
          'Content-Type': rows.type === 'text/csv' ? 'text/csv; charset=utf-8' : rows.type,
          'Content-Disposition': `attachment; filename="audit.${rows.type === 'text/csv' ? 'csv' : 'jsonl'}"`,
          ...(rows.next_cursor === undefined ? {} : { 'X-Hakopod-Next-Cursor': rows.next_cursor }),
        },
      }),
  }),
];
