import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommitSha } from '../../../src/kernel/index.ts';
import { cleanup, code, openReader, path, type Rig, sha, startRig, value } from './support.ts';

const undo = cleanup();

const NAMES = ['a', 'b', 'a/x', 'a/y', 'b/x', 'b/c/x', 'b/c/y', 'd/e/f/g', 'd/e/f/h', 'z'];
type Step = { readonly name: string; readonly kind: 'write' | 'exec' | 'link' | 'remove'; readonly text: string };

const history = fc.array(
  fc.array(
    fc.record({
      name: fc.constantFrom(...NAMES),
      kind: fc.constantFrom<Step['kind']>('write', 'write', 'exec', 'link', 'remove'),
      text: fc.constantFrom('1', '2', '3'),
    }),
    { maxLength: 6 },
  ),
  { minLength: 6, maxLength: 6 },
);

async function apply(work: string, step: Step): Promise<void> {
  const at = join(work, step.name);
  // A file where a folder is needed, or the other way round, gives way.
  for (let up = dirname(at); up.length > work.length; up = dirname(up)) {
    if (NAMES.includes(up.slice(work.length + 1)))
      await rm(up, { recursive: false, force: true }).catch(() => undefined);
  }
  await rm(at, { recursive: true, force: true });
  if (step.kind === 'remove') return;
  await mkdir(dirname(at), { recursive: true });
  if (step.kind === 'link') await symlink(step.text, at);
  else await writeFile(at, step.text, { mode: step.kind === 'exec' ? 0o755 : 0o644 });
}

async function oracle(rig: Rig, base: string, head: string): Promise<readonly string[]> {
  const names = await rig.git('diff', '--name-only', '--no-renames', '-z', base, head);
  return names.split('\0').filter((name) => name !== '');
}

/** A path counts when git lists it, or something below it when it is a folder. */
function expected(names: readonly string[]): readonly string[] {
  return NAMES.filter((name) => names.some((one) => one === name || one.startsWith(`${name}/`))).sort();
}

describe('changedPaths', () => {
  it.each([
    { name: 'tree:0', options: {} },
    { name: 'SHA-256', options: { objectFormat: 'sha256' as const } },
    { name: 'no filter', options: { config: { 'uploadpack.allowFilter': 'false' } } },
  ])('says what git diff says on random histories, $name', async ({ options }) => {
    const rig = await startRig(undo, options);
    for (const commits of fc.sample(history, { numRuns: 2, seed: 20_261_101 })) {
      const ids: CommitSha[] = [];
      for (const [i, steps] of commits.entries()) {
        for (const step of steps) await apply(rig.work, step);
        ids.push(await rig.push(`n${i}`));
      }
      const reader = openReader(undo);
      for (let i = 0; i < ids.length; i++) {
        const [base, head] = [ids[i]!, ids[(i * 3 + 1) % ids.length]!];
        const request = { remote: { url: rig.url, local: true }, base, head, paths: NAMES.map(path) };
        const changed = value(await reader.changedPaths(request));
        expect([...changed!].sort()).toEqual(expected(await oracle(rig, base, head)));
      }
    }
  });

  it('looks at 1,000 paths in a handful of small requests, less when the old trees are known', async () => {
    const rig = await startRig(undo);
    const names = Array.from({ length: 1000 }, (_, i) => `apps/app-${i}/hakopod.toml`);
    for (const name of names) {
      await mkdir(dirname(join(rig.work, name)), { recursive: true });
      await writeFile(join(rig.work, name), name);
    }
    const base = await rig.push('one');
    for (const i of [3, 500, 999]) await writeFile(join(rig.work, names[i]!), 'changed');
    const head = await rig.push('two');
    await writeFile(join(rig.work, names[7]!), 'changed');
    const last = await rig.push('three');
    const reader = openReader(undo);
    const ask = (from: CommitSha, to: CommitSha) =>
      reader.changedPaths({ remote: { url: rig.url, local: true }, base: from, head: to, paths: names.map(path) });
    rig.server.resetStats();
    expect([...value(await ask(base, head))!].sort()).toEqual([3, 500, 999].map((i) => names[i]!).sort());
    // Discovery, commits, roots, `apps`, the three changed folders: a request for each.
    expect(rig.server.stats().requests).toBe(5);
    rig.server.resetStats();
    expect([...value(await ask(head, last))!]).toEqual([names[7]]);
    expect(rig.server.stats().requests).toBe(4);
    rig.server.resetStats();
    expect(value(await ask(head, head))!.size + value(await ask(base, head))!.size).toBe(3);
    expect(rig.server.stats().requests).toBe(0);
  });

  it('can not tell without base, and refuses an unknown head', async () => {
    const rig = await startRig(undo);
    await writeFile(join(rig.work, 'a'), 'a');
    const head = await rig.push('one');
    const reader = openReader(undo);
    const remote = { url: rig.url, local: true };
    const unknown = sha('f'.repeat(40));
    expect(value(await reader.changedPaths({ remote, base: unknown, head, paths: [path('a')] }))).toBeUndefined();
    expect(code(await reader.changedPaths({ remote, base: head, head: unknown, paths: [path('a')] }))).toBe(
      'commit_not_found',
    );
  });
});
