import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashObject, pathParts, treeEntries, treeOfCommit } from '../../../src/adapters/git/objects.ts';
import { code, value } from './support.ts';

const oid = '425596015a7b6141d754bf52692ebbad150e4ed8';
const entry = (mode: string, name: string) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'utf8'), Buffer.from(oid, 'hex')]);

describe('hashObject', () => {
  it('names objects as git does', () => {
    expect(hashObject({ type: 'blob', data: Buffer.from('hello\n') }, 'sha1')).toBe(
      'ce013625030ba8dba906f756967f9e9ca394464a',
    );
    expect(hashObject({ type: 'tree', data: Buffer.alloc(0) }, 'sha1')).toBe(
      '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    );
  });
});

describe('treeEntries', () => {
  const tree = Buffer.concat([entry('100644', 'a'), entry('40000', 'b'), entry('120000', 'é')]);

  it('finds wanted names only, by their bytes', () => {
    const found = value(treeEntries(tree, 'sha1', new Set([...pathParts('b/é'), 'missing'])));
    expect([...found.values()].map(({ mode }) => mode)).toEqual([0o40000, 0o120000]);
    expect(value(treeEntries(tree, 'sha1')).size).toBe(3);
  });

  it('answers git_protocol for every cut and never throws', () => {
    for (let at = 1; at < tree.length; at++) {
      const cut = treeEntries(tree.subarray(0, at), 'sha1');
      expect(!cut.ok || cut.value.size < 3).toBe(true);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(['ok', 'git_protocol']).toContain(code(treeEntries(Buffer.from(bytes), 'sha1')));
      }),
    );
    expect(code(treeEntries(entry('1x0644', 'a'), 'sha1'))).toBe('git_protocol');
    expect(code(treeEntries(tree.subarray(0, -1), 'sha1'))).toBe('git_protocol');
  });
});

describe('treeOfCommit', () => {
  it('takes the first line only, at the length of the format', () => {
    expect(value(treeOfCommit(Buffer.from(`tree ${oid}\nauthor x\n`), 'sha1'))).toBe(oid);
    for (const text of ['', `tree ${oid}`, `parent ${oid}\n`, `tree ${oid}0\n`, `author\ntree ${oid}\n`]) {
      expect(code(treeOfCommit(Buffer.from(text), 'sha1'))).toBe('git_protocol');
    }
    expect(code(treeOfCommit(Buffer.from(`tree ${oid}\n`), 'sha256'))).toBe('git_protocol');
  });
});
