import type { Position } from '../kernel/index.ts';
import type { Path } from './path.ts';
import { type Node, newNode, Scanner } from './toml-scanner.ts';

/** Finds places in one TOML text. */
export type Locator = {
  /** The position of the key or element, or of the nearest table around it that the text mentions. */
  readonly position: (path: Path) => Position | undefined;
  /** Document order of two paths, for sorting problems. */
  readonly offset: (path: Path) => number;
};

/**
 * Reads where the keys on some paths stand in a TOML document: tables, dotted and quoted keys, arrays of tables, inline tables, array
 * elements. Only for documents the parser accepted: values are skipped, not checked. One pass, linear in the text; memory goes with the
 * paths, not with the document.
 */
export function locateKeys(text: string, paths: readonly Path[]): Locator {
  const root = wanted(paths);
  new Scanner(text).document(root);
  const lines = lineStarts(text);
  const offset = (path: Path): number => nearest(root, path).offset;
  return {
    offset,
    position: (path) => {
      const at = offset(path);
      return at < 0 ? undefined : positionAt(lines, at);
    },
  };
}

/**
 * Where a TOML text has a key of more than `max` parts, if it does. The parser makes a table for each, so such keys cost far more memory
 * than their text. Exact for valid documents; of others it may see a key where there is none.
 */
export function deepKey(text: string, max: number): Position | undefined {
  if (!mayHaveDeepKey(text, max)) return undefined;
  const scanner = new Scanner(text, max);
  scanner.document(newNode());
  return scanner.deep === undefined ? undefined : positionAt(lineStarts(text), scanner.deep);
}

/** Whether there are so many dots where one key may be. */
function mayHaveDeepKey(text: string, max: number): boolean {
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const c = text[at];
    if (c === '\n' || c === '=') dots = 0;
    else if (c === '.') dots += 1;
    if (dots >= max) return true;
  }
  return false;
}

function wanted(paths: readonly Path[]): Node {
  const root = newNode();
  for (const path of paths) {
    let node = root;
    for (const part of path) {
      const key = String(part);
      const next = node.children.get(key) ?? newNode();
      node.children.set(key, next);
      node = next;
    }
  }
  return root;
}

function nearest(root: Node, path: Path): Node {
  let node = root;
  for (const part of path) {
    const next = node.children.get(String(part));
    if (next === undefined || next.offset < 0) return node;
    node = next;
  }
  return node;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function positionAt(starts: readonly number[], offset: number): Position {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
