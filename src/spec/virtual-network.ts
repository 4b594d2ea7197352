import { z } from 'zod';
import { NAME, type Problem, problem } from '../kernel/index.ts';
import { missingHook, translateIssues } from './issues.ts';
import { parseDocument, withPosition } from './parse.ts';
import { formatPath } from './path.ts';

const NAME_TEXT =
  'must be 1 to 40 lowercase letters, digits and hyphens, starting with a letter and not ending with a hyphen';
const Name = z.string().regex(NAME, NAME_TEXT);
const SEGMENTS = 16;
const APPLICATIONS = 64;
const DESCRIPTION = 500;

/** A virtual network: which applications may join which of its segments (facts 1.19). */
const VirtualNetworkFile = z.strictObject({
  schema_version: z
    .int()
    .refine((version) => version === 0 || version === 1, 'only schema version 1 is supported')
    .optional(),
  name: Name.refine((name) => name !== 'new', 'is a reserved name'),
  description: z
    .string()
    .refine((text) => [...text].length <= DESCRIPTION, `must be at most ${DESCRIPTION} characters`)
    .optional(),
  segments: z
    .record(
      Name,
      z.strictObject({
        applications: z
          .array(Name)
          .refine((names) => names.length <= APPLICATIONS, `must have at most ${APPLICATIONS} entries`)
          .refine((names) => new Set(names).size === names.length, 'must name each application once'),
      }),
    )
    .refine((segments) => Object.keys(segments).length > 0, 'must have an entry')
    .refine((segments) => Object.keys(segments).length <= SEGMENTS, `must have at most ${SEGMENTS} entries`),
});

/** A virtual network as a tree of applications declares it. */
export type VirtualNetwork = {
  readonly name: string;
  readonly description: string;
  readonly segments: Readonly<Record<string, { readonly applications: readonly string[] }>>;
};

/** Parses the virtual network document of a tree (facts 1.19, 8.5). Problems as those of `parseSpec`. */
export function parseVirtualNetwork(
  text: string,
):
  | { readonly ok: true; readonly network: VirtualNetwork }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const document = parseDocument(text);
  if (!document.ok) return document;
  const parsed = VirtualNetworkFile.safeParse(document.value, { error: missingHook });
  if (parsed.success) {
    const { name, description = '', segments } = parsed.data;
    return { ok: true, network: { name, description, segments } };
  }
  const { findings, unknown } = translateIssues(parsed.error.issues);
  const problems = [...findings, ...unknown].map(({ path, message }) =>
    withPosition(problem('invalid_spec', message, path.length === 0 ? {} : { at: formatPath(path) }), text),
  );
  return { ok: false, problems };
}
