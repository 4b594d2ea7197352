import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { patchProblems } from '../src/patch/index.ts';
import { previewInput, renderApplication } from '../src/render/index.ts';
import { parseSpec } from '../src/spec/index.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

it('has tables that follow from the code', () => {
  const run = spawnSync(process.execPath, ['scripts/generate-readme.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  expect(run.stderr).toBe('');
});

it('names only files and scripts that exist', () => {
  const scripts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;
  const named = [...readme.matchAll(/npm (?:run )?([a-z:]+)/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => name !== 'run');
  expect(named.filter((name) => scripts[name] === undefined && !['packages', 'install'].includes(name))).toEqual([]);
  const paths = [...readme.matchAll(/`((?:src|queues|test|charts|scripts|examples|docs)\/[\w./-]+)`/g)].map(
    ([, path]) => path ?? '',
  );
  expect(paths.length).toBeGreaterThan(8);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('and examples/ show files that are valid', () => {
  const inReadme = /```toml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const files = ['examples/shop/hakopod.toml', 'examples/worker/hakopod.toml'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  for (const text of [inReadme, ...files]) {
    const parsed = parseSpec(text);
    expect(parsed.ok ? [] : parsed.problems).toEqual([]);
  }
});

it('shows Kubernetes patches that can be applied', () => {
  const shown = [...readme.matchAll(/```toml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const parsed = parseSpec(`name = "shop"\n${shown.find((text) => text.includes('.kubernetes]')) ?? ''}`);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '));
  expect(Object.keys(parsed.application.services.api?.kubernetes ?? {})).toEqual(['deployment', 'ingress']);
  const rendered = renderApplication(previewInput(parsed.application));
  expect(rendered.ok && patchProblems(parsed.application, rendered.value)).toEqual([]);
});
