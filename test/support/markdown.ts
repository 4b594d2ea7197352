/** What a forge makes of a comment: the lines it reads as Markdown or HTML, and whether everything that was opened is closed. */
export type Structure = {
  /** Outside of fences: headings, lists, tags. What stands inside is text whatever it says. */
  readonly outside: readonly string[];
  readonly inside: readonly string[];
  /** `<details>` that are still open at the end. */
  readonly open: number;
  readonly inFence: boolean;
  readonly faults: readonly string[];
};

const SUMMARY = /^<details><summary>[^<>]*<\/summary>$/;

/**
 * A strict reading by the rules of CommonMark 0.31 that our comments use: a fence opens with at most three spaces and at least three
 * backticks or tildes and is closed by as many of the same without anything behind; an HTML block of a tag goes on until a blank line, so a
 * fence right behind it would be HTML too.
 */
export function structureOf(markdown: string): Structure {
  const outside: string[] = [];
  const inside: string[] = [];
  const faults: string[] = [];
  let fence: string | undefined;
  let isHtml = false;
  let open = 0;
  for (const line of markdown.split('\n')) {
    if (fence !== undefined) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
      if (closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length) fence = undefined;
      else inside.push(line);
      continue;
    }
    if (line.trim() === '') isHtml = false;
    const opening = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (opening !== null) {
      if (isHtml) faults.push('a fence inside an HTML block');
      fence = opening[1];
      continue;
    }
    outside.push(line);
    if (/^ {0,3}<\/?[a-z!]/i.test(line)) isHtml = !line.endsWith('-->');
    if (line.includes('<details') && !SUMMARY.test(line)) faults.push('a <details> that is not ours');
    open += (line.match(/<details/g) ?? []).length - (line.match(/<\/details>/g) ?? []).length;
    if (open < 0) faults.push('a </details> too many');
  }
  return { outside, inside, open, inFence: fence !== undefined, faults };
}
