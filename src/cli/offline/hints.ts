import type { Code, Problem } from '../../kernel/index.ts';
import { describeField, type JsonSchema } from '../../spec/index.ts';

const BY_CODE: { readonly [C in Code]?: string } = {
  spec_too_large: 'move large contents to secrets or into the image',
  file_not_found: 'give the path of a hakopod.toml, or of a folder of applications',
  not_a_file: 'give the path of a hakopod.toml, or of a folder of applications',
  binary_file: 'save the file as UTF-8 text',
  unsupported_feature: 'take the field out; the file itself is fine',
  kind_change: 'release the application without the service first, then with it',
  volume_change: 'declare a volume of another name, and move the data',
};

/** What to do about a problem: by its code, else what the field is for in the schema of the file, or which one was perhaps meant. */
export function hintFor({ code, at, position }: Problem, schema: JsonSchema): string | undefined {
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  if (at === undefined)
    return position === undefined ? undefined : 'reading stopped here; the mistake may be just before';
  const field = describeField(schema, at);
  if (field === undefined) return undefined;
  if (field.known) return field.description;
  const meant = closest(field.key, field.siblings);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return field.siblings.length > FEW ? SEE_SCHEMA : `known here: ${field.siblings.join(', ')}`;
}

/** So many fields fit a line. */
const FEW = 10;
const SEE_SCHEMA = 'hakopod schema prints all fields';

/** The candidate that fewest edits lead to, if few enough for a slip of the finger. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: edits(word, candidate) }))
    .filter(({ edits }) => edits <= allowed)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** Longer keys are no slips. */
const LONGEST_KEY = 40;

/** How many letters to insert, remove, replace or swap with their neighbour. */
function edits(from: string, to: string): number {
  if (from.length > LONGEST_KEY) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [[...Array(to.length + 1).keys()]];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j += 1) {
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const change = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(change, at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, isSwap ? at(i - 2, j - 2) + 1 : change));
    }
  }
  return at(from.length, to.length);
}
