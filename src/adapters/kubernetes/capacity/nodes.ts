import {
  at,
  isFields,
  type NodeRequirement,
  type NodeTerm,
  type ObservedNode,
  records,
  strings,
} from '../../../kernel/index.ts';
import { amountsOf } from './pod-requests.ts';

/** A Node in our words, without its disks. */
export function nodeOf(node: unknown): ObservedNode {
  return {
    name: word(at(node, 'metadata', 'name')),
    labels: labelsOf(at(node, 'metadata', 'labels')),
    ready: records(at(node, 'status', 'conditions')).some(({ type, status }) => type === 'Ready' && status === 'True'),
    unschedulable: at(node, 'spec', 'unschedulable') === true,
    taints: records(at(node, 'spec', 'taints')).map(({ key, effect }) => ({ key: word(key), effect: word(effect) })),
    allocatable: amountsOf(at(node, 'status', 'allocatable')),
  };
}

/** Where a PersistentVolume can be used; `undefined` for everywhere. */
export function nodeTermsOf(volume: unknown): readonly NodeTerm[] | undefined {
  const required = at(volume, 'spec', 'nodeAffinity', 'required');
  if (!isFields(required)) return undefined;
  return records(required.nodeSelectorTerms).map((term) => ({
    expressions: requirementsOf(term.matchExpressions),
    fields: requirementsOf(term.matchFields),
  }));
}

function requirementsOf(list: unknown): readonly NodeRequirement[] {
  return records(list).map(({ key, operator, values }) => ({
    key: word(key),
    operator: word(operator),
    values: strings(values),
  }));
}

function labelsOf(labels: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(isFields(labels) ? labels : {});
  return Object.fromEntries(entries.map(([key, value]) => [key, word(value)]));
}

function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
