import type { z } from 'zod';
import { LIMITS } from '../kernel/index.ts';
import type { Finding, Path } from './path.ts';

type Issue = z.core.$ZodIssue;

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a table',
  record: 'a table',
};

/**
 * The schema's issues in our words. Unknown keys come apart, because only some are listed: of each table the first few in its order, and
 * how many there are in all.
 */
export function translateIssues(issues: readonly Issue[]): {
  readonly findings: readonly Finding[];
  readonly unknown: readonly Finding[];
  readonly unknownCount: number;
} {
  const findings: Finding[] = [];
  const unknown: Finding[] = [];
  let unknownCount = 0;
  for (const issue of issues) {
    const path = pathOf(issue);
    if (issue.code === 'unrecognized_keys') {
      // `unsafeKeys` reports this one wherever it stands; here it would come twice
      const keys = issue.keys.filter((key) => key !== '__proto__');
      unknownCount += keys.length;
      const listed = keys.slice(0, LIMITS.unknownKeysListed);
      unknown.push(...listed.map((key) => ({ path: [...path, key], message: 'unknown key' })));
    } else findings.push({ path, message: messageOf(issue) });
  }
  return { findings, unknown, unknownCount };
}

function pathOf(issue: Issue): Path {
  return issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
}

/** Texts of refinements, patterns and enums stand in the schema; the rest is said here. Never the library's own words. */
function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      // `missing` is set by the parser's error hook, the one place that sees the input
      return issue.message === MISSING ? MISSING : `must be ${WORDS[issue.expected] ?? 'of another type'}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name';
    case 'custom':
    case 'invalid_format':
    case 'invalid_value':
      return issue.message;
    default:
      return 'is not valid';
  }
}

const MISSING = 'is required';

/** The error hook for `safeParse`: tells a missing field from one of the wrong type. */
export function missingHook(issue: { readonly code: string; readonly input?: unknown }): string | undefined {
  return issue.code === 'invalid_type' && issue.input === undefined ? MISSING : undefined;
}
