import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crdFiles } from '../src/adapters/store/index.ts';
import { valuesSchema } from './values-schema.ts';

// `npm run crds`: writes charts/hakopod/crds from the schemas in src/ports, and the values' schema from src/config.ts.
const chart = resolve(import.meta.dirname, '../charts/hakopod');
const folder = join(chart, 'crds');
mkdirSync(folder, { recursive: true });
for (const { name, text } of crdFiles()) {
  writeFileSync(join(folder, name), text);
  console.log(`charts/hakopod/crds/${name}`);
}
writeFileSync(join(chart, 'values.schema.json'), `${JSON.stringify(valuesSchema(), null, 2)}\n`);
console.log('charts/hakopod/values.schema.json');
