import { describe, expect, it } from 'vitest';
import { unsupportedFeatures } from '../../src/plan/index.ts';
import { allObjects, renderApplication } from '../../src/render/index.ts';
import { publishedFiles } from './corpus.ts';
import { inputFor } from './fixture.ts';

const files = publishedFiles();

describe.skipIf(files.length === 0)('published specifications', () => {
  it.each(files)('%s is rendered, or refused as the plan refuses it', (_path, text) => {
    const input = inputFor(text);
    const result = renderApplication(input);
    const refused = unsupportedFeatures(input.application)[0];
    if (!result.ok) {
      expect(result.problem).toEqual(refused);
      return;
    }
    expect(refused).toBeUndefined();
    const objects = allObjects(result.value);
    const keys = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(keys).size).toBe(keys.length);
    const running = Object.keys(input.application.services).length;
    expect(objects.filter(({ kind }) => ['Deployment', 'Job', 'CronJob'].includes(kind))).toHaveLength(running);
  });

  it('are rendered but for few', () => {
    const refused = files.filter(([, text]) => !renderApplication(inputFor(text)).ok).map(([path]) => path);
    expect(refused.filter((path) => path.endsWith('hakopod.toml'))).toEqual([]);
  });
});
