import { widgets } from './fixtures.ts';
import type { Step } from './real-api.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const QUERY = '?fieldManager=hakopod&force=true&fieldValidation=Strict';

/** The widgets CRD under a group of its own, so that a shared cluster can be used. */
export function definition(group: string): { readonly metadata: { readonly name: string } } {
  return JSON.parse(JSON.stringify(widgets()).replaceAll('example.org', group));
}

/** Requests for custom resources; the definition exists already. */
export function customSteps(namespace: string, group: string): readonly Step[] {
  const all = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
  const one = `${all}/a`;
  const widget = (spec: object, more: object = {}): object => ({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name: 'a' },
    spec,
    ...more,
  });
  const parts = (...names: readonly string[]): object => ({
    size: 1,
    parts: names.map((name) => ({ name, weight: 1 })),
  });
  return [
    { method: 'POST', path: all, body: widget({ size: 3, unknown: 1 }, { status: { state: 'ignored' } }) },
    { method: 'POST', path: `${all}?fieldValidation=Strict`, body: widget({ size: 3, unknown: 1 }) },
    { method: 'POST', path: all, body: { ...widget({ size: 3 }), metadata: { name: 'b' }, spec: undefined } },
    { method: 'POST', path: all, body: { ...widget({}), metadata: { name: 'b' } } },
    { method: 'POST', path: all, body: { ...widget({ size: 0 }), metadata: { name: 'b' } } },
    { method: 'POST', path: all, body: { ...widget({ size: 'x' }), metadata: { name: 'b' } } },
    { method: 'POST', path: all, body: { ...widget({ size: 1, color: 'green' }), metadata: { name: 'b' } } },
    { method: 'PATCH', path: one + QUERY, body: widget({ size: 1, unknown: 1 }), type: APPLY },
    { method: 'PUT', path: one, body: widget({ size: 4 }) },
    { method: 'PATCH', path: one, body: { spec: { size: 5 }, status: { state: 'ignored' } }, type: MERGE },
    {
      method: 'PATCH',
      path: `${one}/status`,
      body: { spec: { size: 9 }, status: { state: 'ok' } },
      type: MERGE,
    },
    { method: 'PATCH', path: `${one}/status`, body: { status: { state: 7 } }, type: MERGE },
    { method: 'PATCH', path: one, body: { metadata: { labels: { c: 'd' } } }, type: MERGE },
    { method: 'GET', path: one },
    { method: 'GET', path: `${one}/status` },
    { method: 'GET', path: `${one}/scale` },
    { method: 'PATCH', path: one + QUERY, body: widget(parts('x', 'y')), type: APPLY },
    {
      method: 'PATCH',
      path: `${one}?fieldManager=other`,
      body: widget({ parts: [{ name: 'z', weight: 2 }, { name: 'x' }] }),
      type: APPLY,
    },
    { method: 'PATCH', path: one + QUERY, body: widget(parts('y')), type: APPLY },
    { method: 'PATCH', path: one + QUERY, body: widget(parts('y')), type: APPLY },
    { method: 'PATCH', path: `${one}/status${QUERY}`, body: widget({}, { status: { state: 'applied' } }), type: APPLY },
    {
      method: 'PATCH',
      path: one,
      body: [{ op: 'replace', path: '/metadata/annotations', value: { x: 'y' } }],
      type: 'application/json-patch+json',
    },
    { method: 'PATCH', path: `${one}?fieldManager=third`, body: widget({ parts: [{ name: 'q' }] }), type: APPLY },
    {
      method: 'PATCH',
      path: `${one}?fieldManager=fourth`,
      body: widget({ parts: [{ name: 'y' }, { name: 'r' }, { name: 'x' }, { name: 's' }] }),
      type: APPLY,
    },
    { method: 'GET', path: `${all}?fieldSelector=spec.color%3Dred` },
    { method: 'GET', path: `${all}?fieldSelector=spec.color%3Dblue` },
    { method: 'GET', path: `${all}?fieldSelector=spec.size%3D1` },
    { method: 'GET', path: `${all}?labelSelector=c%20in%20(d,e),!nothing,c!%3Dx` },
    {
      method: 'PATCH',
      path: `${all}/fresh${QUERY}`,
      body: { ...widget({ size: 2 }), metadata: { name: 'fresh', uid: 'x' } },
      type: APPLY,
    },
    { method: 'PATCH', path: `${one}`, body: {}, type: 'application/strategic-merge-patch+json' },
    { method: 'DELETE', path: `${all}?labelSelector=c%3Dother` },
    { method: 'DELETE', path: one, body: { propagationPolicy: 'Nonsense' } },
    { method: 'DELETE', path: one },
    { method: 'GET', path: one },
  ];
}
