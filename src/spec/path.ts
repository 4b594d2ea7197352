/** Where a value stands in a specification: table keys and array indexes from the root. */
export type Path = readonly (string | number)[];

/** A finding before it becomes a problem: our own text about one place, never a value from the file. */
export type Finding = {
  readonly path: Path;
  readonly message: string;
  readonly code?: 'unsupported_feature' | 'env_file_missing';
};

const BARE = /^[A-Za-z0-9_-]{1,64}$/;
const SHOWN = 64;

/**
 * The dotted path for people, `services.web.ports[1].port`. Keys that are not plain words are quoted, cut at 64 characters and
 * stripped of everything that is not printable ASCII, so that a key can not forge text around it.
 */
export function formatPath(path: Path): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? formatKey(part) : `.${formatKey(part)}`;
  }
  return text;
}

function formatKey(key: string): string {
  if (BARE.test(key)) return key;
  const shown = key.length > SHOWN ? `${key.slice(0, SHOWN)}...` : key;
  return JSON.stringify(shown).replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Reads back what `formatPath` wrote; `undefined` for text it can not have written. A cut key does not find its place again. */
export function parsePath(text: string): Path | undefined {
  const path: (string | number)[] = [];
  const part = /(?:^|\.)([A-Za-z0-9_-]+)|(?:^|\.)("(?:[^"\\]|\\.)*")|\[(\d{1,9})\]/y;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return undefined;
    if (match[1] !== undefined) path.push(match[1]);
    else if (match[2] !== undefined) path.push(unquote(match[2]));
    else path.push(Number(match[3]));
  }
  return path;
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return '';
  }
}
