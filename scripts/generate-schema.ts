/** `npm run schema`: writes the JSON Schema of the file, from the schema in src/spec. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { specJsonSchema } from '../src/spec/index.ts';

const folder = resolve(import.meta.dirname, '../schema');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'hakopod.v1.schema.json'), `${JSON.stringify(specJsonSchema(), undefined, 2)}\n`);
console.log('schema/hakopod.v1.schema.json');
