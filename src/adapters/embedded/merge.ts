import { isRecord, items, sameJson } from './objects.ts';

/** RFC 7396: objects merge, `null` removes, everything else replaces. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

/** Why a JSON patch can not be carried out. */
export type PatchFailure = { readonly failed: string };

type Step = { readonly value: unknown } | PatchFailure;

const MISSING: PatchFailure = { failed: 'the path does not exist' };

function pointer(text: unknown): readonly string[] | undefined {
  if (text === '') return [];
  if (typeof text !== 'string' || !text.startsWith('/')) return undefined;
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(target: unknown, path: readonly string[]): Step {
  let current = target;
  for (const part of path) {
    if (Array.isArray(current)) {
      if (!/^(?:0|[1-9]\d*)$/.test(part) || Number(part) >= current.length) return MISSING;
      current = items(current)[Number(part)];
    } else if (isRecord(current) && Object.hasOwn(current, part)) current = current[part];
    else return MISSING;
  }
  return { value: current };
}

/** Copies along the path and changes the container at its end. */
function edit(target: unknown, path: readonly string[], change: (container: unknown, key: string) => Step): Step {
  const [head, ...rest] = path;
  if (head === undefined) return MISSING;
  if (rest.length === 0) return change(target, head);
  const child = read(target, [head]);
  if ('failed' in child) return child;
  const edited = edit(child.value, rest, change);
  if ('failed' in edited) return edited;
  if (Array.isArray(target)) return { value: target.with(Number(head), edited.value) };
  return { value: { ...(target as object), [head]: edited.value } };
}

function add(target: unknown, path: readonly string[], value: unknown): Step {
  if (path.length === 0) return { value };
  return edit(target, path, (container, key) => {
    if (Array.isArray(container)) {
      const index = key === '-' ? container.length : /^(?:0|[1-9]\d*)$/.test(key) ? Number(key) : -1;
      return index < 0 || index > container.length ? MISSING : { value: container.toSpliced(index, 0, value) };
    }
    return isRecord(container) ? { value: { ...container, [key]: value } } : MISSING;
  });
}

function remove(target: unknown, path: readonly string[]): Step {
  const there = read(target, path);
  if ('failed' in there) return there;
  return edit(target, path, (container, key) => {
    if (Array.isArray(container)) return { value: container.toSpliced(Number(key), 1) };
    const { [key]: _dropped, ...rest } = container as Record<string, unknown>;
    return { value: rest };
  });
}

function replace(target: unknown, path: readonly string[], value: unknown): Step {
  if (path.length === 0) return { value };
  return edit(target, path, (container, key) => {
    // Kubernetes' library replaces a key that an object does not have, where RFC 6902 has it fail (seen on 1.35.4).
    if (isRecord(container)) return { value: { ...container, [key]: value } };
    const there = read(container, [key]);
    return 'failed' in there ? there : { value: (container as readonly unknown[]).with(Number(key), value) };
  });
}

function step(target: unknown, operation: Record<string, unknown>): Step {
  const path = pointer(operation.path);
  if (path === undefined) return { failed: 'the path is not a JSON pointer' };
  switch (operation.op) {
    case 'add':
      return add(target, path, operation.value);
    case 'remove':
      return remove(target, path);
    case 'replace':
      return replace(target, path, operation.value);
    case 'test': {
      const there = read(target, path);
      const same = 'value' in there && sameJson(there.value, operation.value);
      return same ? { value: target } : { failed: 'a test operation failed' };
    }
    case 'move':
    case 'copy': {
      const from = pointer(operation.from);
      if (from === undefined) return { failed: 'from is not a JSON pointer' };
      const there = read(target, from);
      if ('failed' in there) return there;
      const rest: Step = operation.op === 'move' ? remove(target, from) : { value: target };
      return 'failed' in rest ? rest : add(rest.value, path, there.value);
    }
    default:
      return { failed: 'unknown operation' };
  }
}

/** RFC 6902, all operations or none. The target is not changed. */
export function jsonPatch(target: unknown, operations: readonly unknown[]): Step {
  let current = target;
  for (const operation of operations) {
    const next = isRecord(operation) ? step(current, operation) : { failed: 'an operation is not an object' };
    if ('failed' in next) return next;
    current = next.value;
  }
  return { value: current };
}
