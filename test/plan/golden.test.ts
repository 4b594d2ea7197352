import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fitMarkdown, planBody, planJson, planText } from '../../src/plan/index.ts';
import { planOf } from './support.ts';

const golden = join(import.meta.dirname, '../golden');
const cases = readdirSync(golden).filter((name) => name.startsWith('plan-'));
const update = process.env.UPDATE_GOLDEN === '1';

// UPDATE_GOLDEN=1 rewrites the expected files; the change is then a diff to review
test.each(cases)('%s', (name) => {
  const read = (file: string): string => readFileSync(join(golden, name, file), 'utf8');
  const previous = existsSync(join(golden, name, 'previous.toml')) ? { previous: read('previous.toml') } : {};
  const plan = planOf(read('app.toml'), { ...previous, missing: ['gone', 'session'] });
  const { heading, blocks } = planBody(plan);
  const markdown = fitMarkdown({ head: [heading], blocks, foot: [] });
  const rendered = { 'plan.md': markdown, 'plan.txt': planText(plan), 'plan.json': `${planJson(plan)}\n` };
  for (const [file, text] of Object.entries(rendered)) {
    if (update) writeFileSync(join(golden, name, file), text);
    expect(text, `${name}/${file}`).toBe(read(file));
  }
});
