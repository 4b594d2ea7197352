import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const CORPUS = resolve(import.meta.dirname, '../../../shared/corpus');

/** Published specifications by their path, deployable ones and drafts; empty when they are not beside this repository. */
export function publishedFiles(): readonly (readonly [path: string, text: string])[] {
  if (!existsSync(CORPUS)) {
    console.warn('skipped: the corpus of published specifications is not beside this repository');
    return [];
  }
  const files = readdirSync(CORPUS, { recursive: true }).map(String);
  return files
    .filter((name) => /(hakopod|candidate)\.toml$/.test(name))
    .map((name) => [name, readFileSync(join(CORPUS, name), 'utf8')] as const);
}
