import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, ok, problem, type Result } from '../../../kernel/index.ts';

const FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
/** An RFC 1123 label, as every namespace's name is. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The namespace of the pod this process runs in, from the mounted service account (cluster operations 1). `root` is a folder in front of the
 * path, for tests. `invalid_config` when the file can not be read or holds no name of a namespace.
 */
export function ownNamespace(root = ''): Result<string> {
  let text: string;
  try {
    text = readFileSync(join(root === '' ? '/' : root, FILE), 'utf8');
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    return fail(problem('invalid_config', 'the namespace of this pod can not be read', { cause: { code } }));
  }
  const name = text.trim();
  return LABEL.test(name) ? ok(name) : fail(problem('invalid_config', 'the namespace of this pod is not a valid name'));
}
