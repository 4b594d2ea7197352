import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from '../../src/kernel/index.ts';
import { helmBinary, run } from './rig/cache.ts';

export const CHART = resolve(import.meta.dirname, '../../charts/hakopod');
/** Helm built as a Go tool believes in an old Kubernetes unless it is told. */
export const KUBE_VERSION = ['--kube-version', '1.35.4'];

/** Runs helm and answers what it printed. */
export async function helm(...args: string[]): Promise<string> {
  const binary = await helmBinary();
  if (binary === undefined) throw new Error('there is neither helm 3.22 nor Go to build it with');
  return run(binary, args);
}

/** The chart's objects for a release named `hakopod`; `values` are as on helm's command line after `--set`. */
export async function renderChart(namespace: string, values: readonly string[] = []): Promise<readonly Manifest[]> {
  const set = values.flatMap((value) => ['--set', value]);
  const text = await helm('template', 'hakopod', CHART, '--namespace', namespace, ...KUBE_VERSION, ...set);
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
}

/** What a role gives, one `verb group/resource` each, the core group being empty. */
export function grants(role: Manifest): readonly string[] {
  type Rule = { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] };
  const rules = role.rules as readonly Rule[];
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${join(group, resource)}`)),
      ),
    )
    .sort();
}
