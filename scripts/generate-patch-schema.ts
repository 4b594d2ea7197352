/**
 * Writes src/patch/schema/fields.ts from the Go types of the Kubernetes version that the test cluster is built from. Needs Go.
 * `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goBinary, run } from '../test/cluster/rig/cache.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'src/patch/schema/fields.ts');

const binary = await goBinary('patch-oracle', join(root, 'test/patch/oracle'));
if (binary === undefined) throw new Error('there is no Go to read the types with');
const text = `/**
 * Written by scripts/generate-patch-schema.ts; do not edit. A line per type: its fields with their types (\`[]\` a list, \`{}\` a map), how
 * lists and objects are patched, and by which key the elements of a list are told apart.
 */
export const FIELDS = \`
${await run(binary, ['schema'])}\`;
`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('src/patch/schema/fields.ts is behind: run node scripts/generate-patch-schema.ts');
  process.exitCode = 1;
}
