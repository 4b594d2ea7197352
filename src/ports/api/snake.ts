/** The names of fields as the wire has them: `resourceVersion` is `resource_version`. Values are untouched, however deep. */
export function toSnake(value: unknown): unknown {
  return renamed(value, snakePath);
}

/** One name, or a dotted path of them. */
export function snakePath(path: string): string {
  return path.replace(/IP$/, 'Ip').replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
}

/** The way back; a field that is in camel case already stays so, and is refused by whoever knows no such field. */
export function fromSnake(value: unknown): unknown {
  return renamed(value, (name) => name.replace(/_([a-z])/g, (_, c: string) => c.toUpperCase()));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [rename(name), renamed(field, rename)]));
}
