import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataPacket, specialPacket } from '../../../src/adapters/git/pkt-line.ts';
import type { CommitSha, Result } from '../../../src/kernel/index.ts';
import {
  cleanup,
  code,
  MAIN,
  MIB,
  openReader,
  path,
  type Rig,
  sha,
  startFake,
  startRig,
  type TestReader,
  value,
} from './support.ts';

const undo = cleanup();
const COMMIT = sha('a'.repeat(40));
const CAPABILITIES = ['version 2\n', 'ls-refs=unborn\n', 'fetch=shallow filter\n', 'object-format=sha1\n'];
const ADVERTISEMENT = Buffer.concat([...CAPABILITIES.map(dataPacket), specialPacket('flush')]);

const advertise = (response: ServerResponse, body: Buffer | string = ADVERTISEMENT): void => {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end(body);
};
const result = (response: ServerResponse, body: Buffer): void => {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' }).end(body);
};
const pack = (...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([
    dataPacket('packfile\n'),
    ...chunks.map((chunk) => dataPacket(Buffer.concat([Buffer.from([1]), chunk]))),
  ]);

const read = (reader: TestReader, url: string, signal?: AbortSignal): Promise<Result<unknown>> =>
  reader.readFile({
    remote: { url: `${url}/r.git`, local: true },
    commit: COMMIT,
    path: path('a'),
    maxBytes: 1000,
    ...(signal === undefined ? {} : { signal }),
  });

describe('statuses', () => {
  it.each([
    [401, 'git_unauthorized'],
    [403, 'git_unauthorized'],
    [404, 'repository_not_found'],
    [410, 'repository_not_found'],
    [418, 'git_protocol'],
    [429, 'git_unavailable'],
    [500, 'git_unavailable'],
    [503, 'git_unavailable'],
  ])('%d is %s, at discovery and later', async (status, expected) => {
    const early = await startFake(undo, (_request, response) => response.writeHead(status).end('canary of the server'));
    const late = await startFake(undo, (request, response) =>
      request.method === 'GET' ? advertise(response) : response.writeHead(status).end('canary of the server'),
    );
    for (const url of [early, late]) {
      const answer = await read(openReader(undo), url);
      expect(code(answer)).toBe(expected);
      expect(JSON.stringify(answer)).not.toContain('canary');
    }
  });

  it('is repository_not_found for a repository the real server does not have', async () => {
    const rig = await startRig(undo);
    const remote = { url: `${rig.server.url}/other.git`, local: true };
    expect(code(await openReader(undo).listRefs(remote, [MAIN]))).toBe('repository_not_found');
  });
});

describe('answers that are not Git', () => {
  const bodies: readonly (readonly [string, Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['a page', Buffer.from('<html>sign in</html>')],
    ['no pack', specialPacket('flush')],
    ['a cut packet', pack(Buffer.from('PACK')).subarray(0, -2)],
    ['a pack without end', pack(Buffer.from('PACK'))],
    [
      'a damaged pack',
      Buffer.concat([
        pack(Buffer.from(`PACK\x00\x00\x00\x02\x00\x00\x00\x01${'x'.repeat(40)}`)),
        specialPacket('flush'),
      ]),
    ],
    ['an unknown band', Buffer.concat([dataPacket('packfile\n'), dataPacket('\x09x'), specialPacket('flush')])],
    [
      'an error of the side band',
      Buffer.concat([dataPacket('packfile\n'), dataPacket('\x03oops'), specialPacket('flush')]),
    ],
    ['an error', dataPacket('ERR internal trouble')],
  ];
  it.each(bodies)('%s is git_protocol', async (_name, body) => {
    const url = await startFake(undo, (request, response) =>
      request.method === 'GET' ? advertise(response) : result(response, body),
    );
    expect(code(await read(openReader(undo), url))).toBe('git_protocol');
  });

  it('refuses an empty pack: what was wanted is not in it', async () => {
    const empty = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex');
    const url = await startFake(undo, (request, response) =>
      request.method === 'GET'
        ? advertise(response)
        : result(response, Buffer.concat([pack(empty), specialPacket('flush')])),
    );
    expect(code(await read(openReader(undo), url))).toBe('git_protocol');
  });

  it.each(['<html>', '', '0000', `${'0'.repeat(40)}`])('refuses %j as a discovery', async (body) => {
    const url = await startFake(undo, (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(body),
    );
    expect(code(await read(openReader(undo), url))).toBe('git_protocol');
  });

  it('refuses a discovery that is too long, and one that speaks no HTTP', async () => {
    const long = await startFake(undo, (_request, response) => advertise(response, 'x'.repeat(2 * MIB)));
    expect(code(await read(openReader(undo, { maxResponseBytes: MIB }), long))).toBe('repository_too_large');
    const server = createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    undo(async () => server.close());
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(code(await read(openReader(undo), `http://127.0.0.1:${port}`))).toBe('git_protocol');
  });

  it('caps the shallow fetch of a server without partial clone', async () => {
    const rig = await startRig(undo, { config: { 'uploadpack.allowFilter': 'false' } });
    const noise = Buffer.alloc(MIB).map((_, i) => (Math.imul(i ^ (i >>> 3), 2654435761) >>> 24) ^ (i % 251));
    await writeFile(join(rig.work, 'noise'), noise);
    await writeFile(join(rig.work, 'a'), 'a');
    const commit = await rig.push('noise');
    const request = { remote: { url: rig.url, local: true }, commit, path: path('a'), maxBytes: 1000 };
    expect(code(await openReader(undo, { shallowLimitBytes: 100_000 }).readFile(request))).toBe('repository_too_large');
    expect(value(await openReader(undo, { shallowLimitBytes: 3 * MIB }).readFile(request)).text).toBe('a');
  });

  it('answers object_too_large for a folder over the limit', async () => {
    const rig = await startRig(undo);
    for (let i = 0; i < 60; i++) await writeFile(join(rig.work, `file-with-a-long-name-${i}`), String(i));
    const commit = await rig.push('wide');
    const request = { remote: { url: rig.url, local: true }, commit, path: path('a'), maxBytes: 1000 };
    expect(code(await openReader(undo, { maxObjectBytes: 1000 }).readFile(request))).toBe('object_too_large');
  });
});

describe('servers that do not answer', () => {
  it('is git_unavailable when refused', async () => {
    expect(code(await read(openReader(undo), 'http://127.0.0.1:1'))).toBe('git_unavailable');
  });

  it.each(['the head', 'the body', 'the pack'])('keeps its deadline when %s never comes', async (where) => {
    const url = await startFake(undo, (request, response) => {
      if (where === 'the body') response.writeHead(200).write('x');
      if (where === 'the pack' && request.method === 'GET') advertise(response);
    });
    const started = performance.now();
    const answer = await read(openReader(undo, { deadlineMs: 150 }), url);
    expect(code(answer)).toBe('git_unavailable');
    expect(!answer.ok && answer.problem.message).toContain('in time');
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('stops at once when the caller or the reader stops', async () => {
    let aborted = 0;
    let arrived: () => void = () => {};
    const url = await startFake(undo, (request) => {
      request.socket.once('close', () => {
        aborted += 1;
      });
      arrived();
    });
    for (const how of ['caller', 'reader', 'before']) {
      const reader = openReader(undo);
      const stop = new AbortController();
      if (how === 'before') stop.abort();
      const there = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const answer = read(reader, url, stop.signal);
      if (how !== 'before') await there;
      if (how === 'caller') stop.abort();
      if (how === 'reader') await reader.close();
      expect(code(await answer)).toBe('git_unavailable');
      if (how === 'reader') expect(code(await read(reader, url))).toBe('git_unavailable');
      await reader.close();
    }
    await expect.poll(() => aborted).toBe(2);
  });

  it('does not end a shared read when one of its callers leaves', async () => {
    const rig = await startRig(undo);
    await writeFile(join(rig.work, 'a'), 'a');
    const commit = await rig.push('one');
    const reader = openReader(undo);
    const request = { remote: { url: rig.url, local: true }, commit, path: path('a'), maxBytes: 1000 };
    const stop = new AbortController();
    const leaving = reader.readFile({ ...request, signal: stop.signal });
    const staying = reader.readFile(request);
    stop.abort();
    expect(code(await leaving)).toBe('git_unavailable');
    expect(value(await staying).text).toBe('a');
  });

  it('tries once more when a kept connection turns out closed', async () => {
    let gets = 0;
    const url = await startFake(undo, (request, response) => {
      gets += 1;
      if (gets === 1) request.socket.destroy();
      else response.writeHead(404).end();
    });
    expect(code(await read(openReader(undo), url))).toBe('repository_not_found');
    expect(gets).toBe(2);
  });
});

describe('a known repository that changes', () => {
  let rig: Rig;
  let commit: CommitSha;
  beforeAll(async () => {
    rig = await startRig(undo);
    await writeFile(join(rig.work, 'a'), 'a');
    commit = await rig.push('one');
  });

  it('is discovered again once its old place fails', async () => {
    let broken = false;
    const url = await startFake(undo, async (request, response, body) => {
      if (broken && request.method === 'POST') {
        broken = false;
        response.writeHead(404).end();
        return;
      }
      const answer = await fetch(`${rig.server.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'git-protocol': 'version=2', 'content-type': String(request.headers['content-type']) },
        ...(request.method === 'POST' ? { body: new Uint8Array(body) } : {}),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const reader = openReader(undo);
    const remote = { url: `${url}/repo.git`, local: true };
    expect(value(await reader.listRefs(remote, [MAIN])).get(MAIN)).toBe(commit);
    broken = true;
    expect(value(await reader.listRefs(remote, [MAIN])).get(MAIN)).toBe(commit);
    expect(broken).toBe(false);
  });
});
