import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanup, MAIN, openReader, ref, startRig, value } from './support.ts';

const undo = cleanup();

describe.each([
  { name: 'version 2', options: {} },
  { name: 'version 0', options: { protocolV2: false } },
])('listRefs, $name', ({ options }) => {
  it('gives exact refs with tags peeled, and forgets deleted ones', async () => {
    const rig = await startRig(undo, options);
    await writeFile(join(rig.work, 'a'), 'a');
    const first = await rig.push('one');
    const bare = join(rig.root, 'repo.git');
    await rig.git('tag', '-a', 'v1', '-m', 'annotated');
    await rig.git('tag', 'light');
    await rig.git(
      'push',
      '-q',
      bare,
      'HEAD:refs/heads/main-two',
      'HEAD:refs/heads/gone',
      'HEAD:refs/pull/1/head',
      '--tags',
    );
    const reader = openReader(undo);
    const remote = { url: rig.url, local: true };
    const wanted = ['heads/main', 'heads/gone', 'heads/no', 'tags/v1', 'tags/light', 'pull/1/head', 'heads/mai'].map(
      (name) => ref(`refs/${name}`),
    );
    const listed = value(await reader.listRefs(remote, wanted));
    const found = ['refs/heads/gone', 'refs/heads/main', 'refs/pull/1/head', 'refs/tags/light', 'refs/tags/v1'];
    expect([...listed.keys()].sort()).toEqual(found);
    expect(new Set(listed.values())).toEqual(new Set([first]));

    await rig.git('push', '-q', bare, ':refs/heads/gone');
    const second = await rig.push('two');
    rig.server.resetStats();
    expect(value(await reader.listRefs(remote, wanted)).get(MAIN)).toBe(second);
    expect(rig.server.stats().requests).toBe(1);
    expect(value(await reader.listRefs(remote, [ref('refs/heads/gone')])).size).toBe(0);
  });
});

describe('connections', () => {
  it('are few and kept, however many calls run at once, and gone after close', async () => {
    const rig = await startRig(undo);
    const commit = await rig.push('one');
    const reader = openReader(undo);
    const remote = { url: rig.url, local: true };
    const all = await Promise.all(Array.from({ length: 60 }, () => reader.listRefs(remote, [MAIN])));
    expect(new Set(all.map((listed) => value(listed).get(MAIN)))).toEqual(new Set([commit]));
    expect(rig.server.stats().requests).toBe(61);
    expect(rig.server.stats().mostConnections).toBe(8);
    await reader.close();
    await expect.poll(() => rig.server.stats().connections).toBe(0);
  });
});
