import type { Code, Problem } from '../../kernel/index.ts';
import { describeField } from '../../spec/index.ts';

const BY_CODE: { readonly [C in Code]?: string } = {
  spec_too_large: 'move large contents to secrets or into the image',
  file_not_found: 'give the path of a hakopod.toml, or of a folder of applications',
  not_a_file: 'give the path of a hakopod.toml, or of a folder of applications',
  binary_file: 'save the file as UTF-8 text',
  unsupported_feature: 'take the field out; the file itself is fine',
  kind_change: 'release the application without the service first, then with it',
  volume_change: 'declare a volume of another name, and move the data',
};

/** What to do about a problem: by its code, else what the field is for, or which one was perhaps meant. */
export function hintFor({ code, at }: Problem): string | undefined {
  const known = BY_CODE[code];
  if (known !== undefined || at === undefined) return known;
  const field = describeField(at);
  if (field === undefined) return undefined;
  if (field.known) return field.description;
  const meant = closest(field.key, field.siblings);
  return meant === undefined ? `known here: ${field.siblings.join(', ')}` : `did you mean ${meant}?`;
}

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

/** Levenshtein distance. */
function edits(from: string, to: string): number {
  if (from.length > LONGEST_KEY) return Number.POSITIVE_INFINITY;
  let row = [...Array(to.length + 1).keys()];
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
