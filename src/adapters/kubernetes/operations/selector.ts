import { at, type Fields, isFields, records, strings } from '../../../kernel/index.ts';

/** A label selector in the form a list takes; undefined when it is absent, empty or not one Kubernetes knows. */
export function selectorText(selector: unknown): string | undefined {
  const labels = at(selector, 'matchLabels');
  const equal = Object.entries(isFields(labels) ? labels : {}).map(([key, value]) => `${key}=${String(value)}`);
  const expressions = records(at(selector, 'matchExpressions')).map(expressionText);
  const parts = [...equal, ...expressions];
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
}

function expressionText({ key, operator, values }: Fields): string | undefined {
  if (typeof key !== 'string' || key === '') return undefined;
  const list = strings(values).join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}
