type Token = { readonly kind: 'char'; readonly char: string } | { readonly kind: 'segment' } | { readonly kind: 'any' };

/**
 * Whether a text matches a glob as a whole: `*` is any run of characters but `/`, `**` any run at all, everything else is itself. Case
 * counts. All states of the glob advance together, so the time is linear in the text whatever the glob.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const tokens = tokenize(glob);
  let states = new Set<number>();
  reach(states, 0, tokens);
  for (const char of text) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token === undefined) continue;
      if (token.kind === 'char') {
        if (token.char === char) reach(next, state + 1, tokens);
      } else if (token.kind === 'any' || char !== '/') reach(next, state, tokens);
    }
    if (next.size === 0) return false;
    states = next;
  }
  return states.has(tokens.length);
}

/** Whether any of the globs matches. */
export function matchesAny(globs: readonly string[], text: string): boolean {
  return globs.some((glob) => matchesGlob(glob, text));
}

/** Adds a state and those behind runs that match nothing. */
function reach(states: Set<number>, from: number, tokens: readonly Token[]): void {
  for (let state = from; !states.has(state); state += 1) {
    states.add(state);
    const token = tokens[state];
    if (token === undefined || token.kind === 'char') return;
  }
}

function tokenize(glob: string): readonly Token[] {
  return (glob.match(/\*{2,}|\*|[^*]/gsu) ?? []).map((part): Token => {
    if (part === '*') return { kind: 'segment' };
    return part.startsWith('**') ? { kind: 'any' } : { kind: 'char', char: part };
  });
}
