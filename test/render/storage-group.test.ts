import { describe, expect, it } from 'vitest';
import { storageGroup } from '../../src/render/index.ts';
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
});
