import { describe, expect, it } from 'vitest';
import { previewInput, renderApplication, storageGroup } from '../../src/render/index.ts';
import { parsed } from './fixture.ts';

const mount = (service: string, ...volumes: readonly string[]): string =>
  `[services.${service}]\nimage = "a:1"\n${volumes
    .map((volume) => `[[services.${service}.mounts]]\nvolume = "${volume}"\nmount_path = "/${volume}"\n`)
    .join('')}`;

describe('storageGroup', () => {
  const application = parsed(`
schema_version = 1
name = "shop"
[volumes.a]
size_gib = 1
[volumes.b]
size_gib = 1
[volumes.c]
size_gib = 1
[volumes.many]
size_gib = 1
storage_class = "shared"
access_mode = "ReadWriteMany"
${mount('one', 'b', 'many')}
${mount('two', 'b', 'a')}
${mount('three', 'a')}
${mount('alone', 'c', 'many')}
${mount('none')}
`);

  it('joins services that share a ReadWriteOnce volume, also through others, under the first of their volumes', () => {
    const groups = ['one', 'two', 'three', 'alone', 'none'].map((name) => storageGroup(application, name));
    expect(groups).toEqual(['a', 'a', 'a', undefined, undefined]);
  });

  const affinityOf = (name: string, placement: Readonly<Record<string, readonly string[]>>) => {
    const rendered = renderApplication(previewInput(application, { placement }));
    if (!rendered.ok) throw new Error(rendered.problem.message);
    const found = rendered.value.workloads.find(({ service }) => service === name)!.workload;
    return (found.spec as { template: { spec: { affinity?: object } } }).template.spec.affinity;
  };
  const on = (node: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] });

  it('keeps a group to the nodes it is placed on, one term for each, and leaves others alone', () => {
    for (const name of ['one', 'two', 'three'])
      expect(affinityOf(name, { a: ['n1', 'n2'] })).toMatchObject({
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [on('n1'), on('n2')] },
        },
        podAffinity: expect.anything(),
      });
    expect(affinityOf('one', {})).not.toHaveProperty('nodeAffinity');
    expect(affinityOf('one', { b: ['n1'] })).not.toHaveProperty('nodeAffinity');
    expect(affinityOf('alone', { a: ['n1'], c: ['n1'] })).toBeUndefined();
  });
});
