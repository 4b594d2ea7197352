/** A symbolic link as the tree has it. Both are bytes read as latin1. */
export type Link = { readonly path: string; readonly target: string };

/** As many links as Linux follows in one path. */
const MAX_HOPS = 40;

/**
 * The first link that leads out of the exported folder, or `undefined`. Targets are followed the way the kernel does, through the other
 * links of the folder, because `a/b/../..` means something else when `a/b` is a link. Refused are absolute targets, targets that
 * climb above the folder at any point, and circles; a target that does not exist is fine as long as it would be inside.
 */
export function strayLink(links: readonly Link[]): Link | undefined {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  return links.find((link) => !staysInside(link, targets));
}

function staysInside(link: Link, targets: ReadonlyMap<string, string>): boolean {
  const at = link.path.split('/').slice(0, -1);
  let rest = partsOf(link.target);
  if (rest === undefined) return false;
  let hops = 0;
  while (rest.length > 0) {
    const [part = '', ...others] = rest;
    rest = others;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return false;
      continue;
    }
    at.push(part);
    const target = targets.get(at.join('/'));
    if (target === undefined) continue;
    const through = partsOf(target);
    hops += 1;
    if (through === undefined || hops > MAX_HOPS) return false;
    at.pop();
    rest = [...through, ...rest];
  }
  return true;
}

/** The parts of a target; `undefined` for one that can not be inside: absolute, empty or with a NUL. */
function partsOf(target: string): string[] | undefined {
  return target === '' || target.startsWith('/') || target.includes('\0') ? undefined : target.split('/');
}
