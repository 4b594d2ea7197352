import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allObjects, renderApplication } from '../../src/render/index.ts';
import { publishedFiles } from '../render/corpus.ts';
import { inputFor } from '../render/fixture.ts';

/* What published specifications become is valid to a real API server, strictly: every object of every file, asked in a dry run. */
const kubeconfig = process.env.KUBECONFIG;
if (kubeconfig === undefined) console.warn('skipped: KUBECONFIG names no cluster');
const files = publishedFiles();

const ID = 'c'.repeat(32);
const run = promisify(execFile);

async function kubectl(args: readonly string[], input?: unknown): Promise<string> {
  const child = run('kubectl', [...args], { maxBuffer: 64 * 2 ** 20 });
  if (input !== undefined) child.child.stdin?.end(JSON.stringify(input));
  return (await child).stdout;
}

describe.skipIf(kubeconfig === undefined || files.length === 0)('published specifications on a real API server', () => {
  const namespace = `hp-${ID}`;
  beforeAll(async () => {
    await kubectl(['create', 'namespace', namespace]);
  });
  afterAll(async () => {
    await kubectl(['delete', 'namespace', namespace, '--wait=false', '--ignore-not-found']);
  });

  it.each(files)('%s is accepted', async (_path, text) => {
    const result = renderApplication(inputFor(text, { id: ID }));
    // A refusal is the unit tests' business.
    if (!result.ok) return;
    const items = allObjects(result.value);
    const args = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict'];
    const answer = await kubectl([...args, '--field-manager=hakopod', '-f', '-', '-o', 'name'], {
      apiVersion: 'v1',
      kind: 'List',
      items,
    });
    expect(answer.trim().split('\n')).toHaveLength(items.length);
  });
});
