import { join } from 'node:path';
import { type Problem, problem } from '../../kernel/index.ts';
import { type Application, formatPath, parseVirtualNetwork, type VirtualNetwork } from '../../spec/index.ts';
import type { Place } from './load.ts';
import { readText } from './read.ts';
import type { Located } from './source.ts';

/** Facts 1.19. */
const MAX_BYTES = 32 * 1024;

/** The virtual network a tree declares beside its applications, in `network.toml`. */
export type Networks = {
  readonly problems: readonly Located[];
  /** Segments of that network an application joins without being granted them. */
  readonly refusals: (application: Application) => readonly Problem[];
};

/** Reads and checks `network.toml` at the root of a tree, if there is one (facts 8.5). */
export async function loadNetworks(root: Place): Promise<Networks> {
  const name = join(root.name, 'network.toml');
  const read = await readText(join(root.path, 'network.toml'), MAX_BYTES);
  if (!read.ok && read.problem.code === 'file_not_found') return { problems: [], refusals: () => [] };
  const source = { name, text: read.ok ? read.value : '', isOther: true };
  if (!read.ok) return { problems: [{ source, problem: tooLarge(read.problem) }], refusals: () => [] };
  const parsed = parseVirtualNetwork(read.value);
  return parsed.ok
    ? { problems: [], refusals: (application) => notGranted(parsed.network, application) }
    : { problems: parsed.problems.map((found) => ({ source, problem: found })), refusals: () => [] };
}

function tooLarge(found: Problem): Problem {
  return found.code === 'spec_too_large' ? problem('spec_too_large', 'the file is larger than 32 KiB') : found;
}

/** What other networks grant is known to the installation alone. */
function notGranted(network: VirtualNetwork, application: Application): readonly Problem[] {
  return Object.entries(application.networks)
    .filter(([, { virtual_network }]) => virtual_network === network.name)
    .filter(([, { segment }]) => {
      const granted = Object.hasOwn(network.segments, segment) ? network.segments[segment] : undefined;
      return granted?.applications.includes(application.name) !== true;
    })
    .map(([name]) =>
      problem('invalid_spec', 'network.toml does not grant this segment to the application', {
        at: formatPath(['networks', name, 'segment']),
      }),
    );
}
