import { createHash } from 'node:crypto';
import type { Document, DocumentOperation, DocumentParameter } from './document.ts';

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8882}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:var(--soft);padding:.75rem;border-radius:6px;overflow-x:auto;white-space:pre-wrap}
nav ul{columns:3 12rem;padding-left:1rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.5rem .75rem}summary{cursor:pointer}
summary b{display:inline-block;min-width:4rem;font:600 14px ui-monospace,monospace;text-transform:uppercase}
table{border-collapse:collapse;width:100%}td,th{border:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{font-weight:600}dd{margin:0}`;

/** A page's text and the digest of its style sheet, for its policy. */
export type Page = { readonly html: string; readonly styleDigest: string };

/** Text as HTML text or attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A page of ours: no script, one style sheet. `body` is HTML already. */
export function htmlPage(title: string, body: string): Page {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title><meta name="viewport" content="width=device-width,initial-scale=1"><style>${STYLE}</style></head><body>${body}</body></html>\n`;
  return { html, styleDigest: createHash('sha256').update(STYLE).digest('base64') };
}

/** The OpenAPI document for people: every operation by noun, with parameters, an example and its answers. */
export function docsPage(document: Document): Page {
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'other'] = operation.tags;
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationHtml(method, path, operation)]);
    }
  }
  const tags = [...byTag.keys()];
  const nav = tags.map((tag) => `<li><a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a></li>`).join('');
  const sections = tags
    .map((tag) => `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>${(byTag.get(tag) ?? []).join('')}`)
    .join('');
  const intro = document.info.description
    .split('\n')
    .map((line) => `<p>${inline(line)}</p>`)
    .join('');
  return htmlPage(
    'Hakopod API',
    `<h1>Hakopod API ${escapeHtml(document.info.version)}</h1>${intro}<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI ${escapeHtml(document.openapi)}).</p><nav><ul>${nav}</ul></nav>${sections}`,
  );
}

function operationHtml(method: string, path: string, operation: DocumentOperation): string {
  const parameters = operation.parameters ?? [];
  const body = operation.requestBody?.content['application/json'];
  const answers = Object.entries(operation.responses)
    .map(([status, { description }]) => `<dt>${escapeHtml(status)}</dt><dd>${inline(description)}</dd>`)
    .join('');
  return [
    `<details id="${escapeHtml(operation.operationId)}"><summary><b>${escapeHtml(method)}</b> <code>/api/v1${escapeHtml(path)}</code> ${inline(operation.summary)}</summary>`,
    `<p>${inline(operation.description)}</p>`,
    parameters.length === 0
      ? ''
      : `<table><tr><th>parameter</th><th>in</th><th>what</th></tr>${parameters.map(parameterHtml).join('')}</table>`,
    body === undefined ? '' : bodyHtml(body),
    `<dl>${answers}</dl></details>`,
  ].join('');
}

function parameterHtml(parameter: DocumentParameter): string {
  const words = [
    parameter.required ? 'required' : 'optional',
    parameter.description ?? '',
    parameter.example === undefined ? '' : `such as \`${String(parameter.example)}\``,
  ];
  return `<tr><td><code>${escapeHtml(parameter.name)}</code></td><td>${escapeHtml(parameter.in)}</td><td>${inline(words.filter(Boolean).join('; '))}</td></tr>`;
}

type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
};

function bodyHtml(body: { readonly schema: unknown; readonly example?: unknown }): string {
  const schema = body.schema as Schema;
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const words = [
      schema.required?.includes(name) === true ? 'required' : 'optional',
      field.enum === undefined ? [field.type ?? ''].flat().join(' or ') : field.enum.map(String).join(', '),
      field.description ?? '',
    ];
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${inline(words.filter(Boolean).join('; '))}</td></tr>`;
  });
  const table = rows.length === 0 ? '' : `<table><tr><th>field</th><th>what</th></tr>${rows.join('')}</table>`;
  const example =
    body.example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(body.example, undefined, 2))}</pre>`;
  return table + example;
}

/** Text in which backticks mark code. */
function inline(text: string): string {
  return escapeHtml(text).replace(/`([^`]*)`/g, '<code>$1</code>');
}
