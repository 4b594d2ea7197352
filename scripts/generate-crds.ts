import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crdFiles } from '../src/adapters/store/index.ts';

// `npm run crds`: writes charts/hakopod/crds from the schemas in src/ports/resources.ts.
const folder = resolve(import.meta.dirname, '../charts/hakopod/crds');
mkdirSync(folder, { recursive: true });
for (const { name, text } of crdFiles()) {
  writeFileSync(join(folder, name), text);
  console.log(`charts/hakopod/crds/${name}`);
}
