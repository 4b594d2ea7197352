import { FIELD_TABLE } from '../../src/patch/index.ts';
import { type Rule, ruleOf, rulesFor } from '../../src/patch/rules/index.ts';
import type { FieldType, PatchKind } from '../../src/patch/types.ts';

/** What the rules say of one field of the table. */
export type Verdict = 'allowed' | 'condition' | 'protected';
export type Row = {
  readonly kind: PatchKind;
  /** Path with `[]` for any element of a list. `{containers,initContainers}` are two fields with the same rows. */
  readonly path: string;
  readonly verdict: Verdict;
  /** The condition, or why the field is protected. */
  readonly says: string;
  readonly type: FieldType;
  /** What decides: whether a condition is only that of the fields below. */
  readonly rule: Rule;
};

/** Protected as a whole, and yet each of their fields has a row: they are the ones people look for. */
const ALWAYS_WHOLE = new Set([
  'ObjectMeta',
  'IngressSpec',
  'SecurityContext',
  'PodSecurityContext',
  'LabelSelector',
  'DeploymentStrategy',
]);

export const KINDS = ['deployment', 'service', 'ingress'] as const;

/** A row for each field of the three objects, down to where all below has the same verdict. */
export function verdictRows(): readonly Row[] {
  return KINDS.flatMap((kind) => below(kind, '', { ref: FIELD_TABLE.kinds[kind] }, rulesFor(kind, {}, {})));
}

function below(kind: PatchKind, path: string, type: FieldType, rule: Rule): Row[] {
  if ('list' in type) {
    if (rule.kind === 'list') return below(kind, `${path}[]`, type.list, rule.item);
    return [];
  }
  if (!('ref' in type)) return [];
  if (rule.kind !== 'object' && !(rule.kind === 'protected' && ALWAYS_WHOLE.has(type.ref))) return [];
  const fields = FIELD_TABLE.types[type.ref];
  if (fields === undefined) throw new Error(`the table has no type ${type.ref}`);
  return Object.entries(fields).flatMap(([name, field]) => {
    // Both lists of containers have the same type and the same rule.
    if (name === 'initContainers') return [];
    const own = rule.kind === 'object' ? ruleOf(rule, name) : rule;
    const called = name === 'containers' ? '{containers,initContainers}' : name;
    const at = path === '' ? called : `${path}.${called}`;
    return [{ kind, path: at, type: field.type, rule: own, ...verdictOf(own) }, ...below(kind, at, field.type, own)];
  });
}

function verdictOf(rule: Rule): { verdict: Verdict; says: string } {
  if (rule.kind === 'allowed' && rule.condition === undefined) return { verdict: 'allowed', says: '' };
  if (rule.kind === 'protected') return { verdict: 'protected', says: rule.why };
  return { verdict: 'condition', says: rule.condition ?? '' };
}

const HEADINGS = { deployment: 'Deployment', service: 'Service', ingress: 'Ingress' };
const WORDS = { allowed: 'allowed', condition: 'with a condition', protected: '**protected**' };

/** The table as a document; `[]` is any element of a list. */
export function verdictDocument(rows: readonly Row[]): string {
  const sections = KINDS.map((kind) => {
    const lines = rows
      .filter((row) => row.kind === kind)
      .map((row) => `| \`${row.path}\` | ${WORDS[row.verdict]} | ${row.says} |`);
    return `## ${HEADINGS[kind]}\n\n| field | verdict | condition or reason |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return `# What a Kubernetes patch may change

Every field of the objects a patch is for, as of k8s.io/api ${FIELD_TABLE.version}, down to where all below has the same verdict. A field that
is not here, such as one of a later version, is protected. Written by \`UPDATE_GOLDEN=1 vitest run test/patch/verdicts.test.ts\`, which
tries every row.

${sections.join('\n')}`;
}
