import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
/** In the order they may import each other. `access` is no stage of a commit's path but as pure, and stands left of all of them. */
const STAGES = ['access', 'spec', 'grant', 'plan', 'build', 'render', 'patch', 'reconcile', 'status'];

/** The one folder that may import an outside package; `zod` and `yaml` are free. */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  'smol-toml': ['src/spec'],
  'isomorphic-git': ['src/adapters/git'],
  '@octokit/core': ['src/adapters/github'],
  '@gitbeaker/rest': ['src/adapters/gitlab'],
  '@kubernetes/client-node': ['src/adapters/kubernetes'],
  bullmq: ['queues/runtime'],
  ioredis: ['src/adapters/redis'],
  'prom-client': ['src/server'],
  hono: ['src/server'],
  '@hono/node-server': ['src/server'],
  '@hono/zod-openapi': ['src/server'],
  commander: ['src/cli'],
  pino: ['src/adapters/log'],

  undici: ['src/adapters/http', 'src/adapters/kubernetes'],
};
const FREE_PACKAGES = ['zod', 'yaml'];

type Imported = { readonly file: string; readonly specifier: string };

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Static and dynamic imports and re-exports, type-only ones too. Comments and strings elsewhere do not look like these lines. */
function importsOf(file: string): Imported[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = [
    ...text.matchAll(/^(?:import|export)\b[^;'"`]*?\bfrom\s+['"]([^'"]+)['"]/gm),
    ...text.matchAll(/^import\s+['"]([^'"]+)['"]/gm),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
  ];
  return found.map((match) => ({ file, specifier: match[1] ?? '' }));
}

/** `src/adapters/git/pack.ts` -> `adapters/git`; `src/spec/x.ts` -> `spec`; `queues/runtime/x.ts` -> `queues`. */
function partOf(file: string): string {
  const parts = file.split('/');
  if (parts[0] === 'queues') return 'queues';
  if (parts.length === 2) return parts[1] ?? '';
  return parts[1] === 'adapters' ? `adapters/${parts[2]}` : (parts[1] ?? '');
}

function mayImport(from: string, to: string, target: string): boolean {
  if (from === to || from === 'main.ts' || from === 'wiring') return true;
  const stage = STAGES.indexOf(from);
  if (stage >= 0)
    return to === 'kernel' || (STAGES.indexOf(to) >= 0 && STAGES.indexOf(to) < stage && target.endsWith('/index.ts'));
  const viaIndex = to === 'kernel' || to === 'ports' || (STAGES.includes(to) && target.endsWith('/index.ts'));
  if (from === 'kernel' || from === 'config.ts') return from === 'config.ts' && to === 'kernel';
  // The words of access (permission, scope, principal) are spoken by the ports too.
  if (from === 'ports') return to === 'kernel' || target === 'src/access/index.ts';
  if (from === 'adapters/embedded') return to === 'kernel' || to === 'ports' || target === 'src/patch/index.ts';
  if (from.startsWith('adapters/')) return to === 'kernel' || to === 'ports';
  if (from === 'queues') return to === 'kernel' || to === 'ports' || to === 'pipeline';
  if (from === 'demo') return to === 'kernel' || to === 'ports';
  return (from === 'pipeline' || from === 'server' || from === 'cli') && viaIndex;
}

const files = [...sourceFiles('src'), ...sourceFiles('queues')];
const imports = files.flatMap(importsOf);

describe('import rule', () => {
  it('lets each part import only what DESIGN section 3 allows', () => {
    const broken = imports
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ file, specifier }) => ({ file, target: relative(root, resolve(root, dirname(file), specifier)) }))
      .filter(({ file, target }) => !mayImport(partOf(file), partOf(target), target))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(broken).toEqual([]);
  });

  it('keeps each outside package in its one folder', () => {
    const broken = imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .map(({ file, specifier }) => ({
        file,
        name: specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      }))
      .filter(({ file, name }) => {
        if (FREE_PACKAGES.includes(name)) return false;
        if (builtinModules.includes(name)) return true;
        return file !== 'src/main.ts' && !(PACKAGE_HOMES[name] ?? []).some((home) => file.startsWith(`${home}/`));
      })
      .map(({ file, name }) => `${file} imports ${name}`);
    expect(broken).toEqual([]);
  });

  it('knows every folder of src', () => {
    const known = new Set([
      ...STAGES,
      'kernel',
      'ports',
      'pipeline',
      'server',
      'cli',
      'demo',
      'wiring',
      'config.ts',
      'main.ts',
      'queues',
    ]);
    const unknown = files.map(partOf).filter((part) => !known.has(part) && !part.startsWith('adapters/'));
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('has no value or type cycle between files', () => {
    const edges = new Map<string, string[]>();
    for (const { file, specifier } of imports) {
      if (!specifier.startsWith('.')) continue;
      edges.set(file, [...(edges.get(file) ?? []), relative(root, resolve(root, dirname(file), specifier))]);
    }
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (done.has(file) || path.includes(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('reads process.env only in config.ts', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')));
    expect(readers).toEqual(['src/config.ts']);
  });

  it('exports nothing called then, which makes a module that is awaited hang', () => {
    const thenables = files.filter((file) =>
      /^export (?:async )?(?:function|const|let) then\b|^export \{[^}]*\bthen\b[^}]*\}/m.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    );
    expect(thenables).toEqual([]);
  });

  it('keeps every file under 400 lines', () => {
    const long = [...files, ...sourceFiles('test'), ...sourceFiles('scripts')]
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 401);
    expect(long).toEqual([]);
  });
});
