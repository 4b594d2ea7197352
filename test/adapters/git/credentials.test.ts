import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Log, Remote } from '../../../src/ports/index.ts';
import { cleanup, code, MAIN, openReader, path, startFake, startRig, value } from './support.ts';

const undo = cleanup();
const CREDENTIALS = { username: 'robot', password: 'canary-5fd0b1' };
const BASIC = `Basic ${Buffer.from('robot:canary-5fd0b1').toString('base64')}`;

/** A log that keeps every word. */
function recorder(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, fields?: unknown): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  return { log, lines };
}

describe('credentials', () => {
  it('open a repository that needs them', async () => {
    const rig = await startRig(undo, { credentials: CREDENTIALS });
    await writeFile(join(rig.work, 'a'), 'secret text');
    const commit = await rig.push('one');
    const reader = openReader(undo);
    const request = { commit, path: path('a'), maxBytes: 1000 };
    const good: Remote = { url: rig.url, local: true, credentials: CREDENTIALS };
    const wrong: Remote = { ...good, credentials: { username: 'robot', password: 'wrong' } };
    const none: Remote = { url: rig.url, local: true };
    expect(code(await reader.readFile({ ...request, remote: none }))).toBe('git_unauthorized');
    expect(value(await reader.readFile({ ...request, remote: good })).text).toBe('secret text');
    // Now the file is cached. Who can not open the repository must not read it from there either.
    expect(code(await reader.readFile({ ...request, remote: none }))).toBe('git_unauthorized');
    expect(code(await reader.readFile({ ...request, remote: wrong }))).toBe('git_unauthorized');
    expect(code(await reader.changedPaths({ remote: none, base: commit, head: commit, paths: [] }))).toBe(
      'git_unauthorized',
    );
  });

  it('are in no answer and no log line, whatever the server says', async () => {
    const { log, lines } = recorder();
    const answers: string[] = [];
    for (const status of [200, 301, 401, 404, 500]) {
      const url = await startFake(undo, (request, response) => {
        const echo = `${request.headers.authorization} ${CREDENTIALS.password}`;
        const headers = { location: `http://evil.example/${encodeURIComponent(echo)}`, 'content-type': 'text/html' };
        response.writeHead(status, headers).end(`ERR ${echo}`);
      });
      const remote = { url: `${url}/r.git`, local: true, credentials: CREDENTIALS };
      answers.push(JSON.stringify(await openReader(undo, { log }).listRefs(remote, [MAIN])));
    }
    const refused = { url: 'http://127.0.0.1:1/r.git', local: true, credentials: CREDENTIALS };
    answers.push(JSON.stringify(await openReader(undo, { log }).listRefs(refused, [MAIN])));
    expect(lines.length).toBe(6);
    for (const text of [...lines, ...answers]) {
      expect(text).not.toContain(CREDENTIALS.password);
      expect(text).not.toContain(BASIC.slice(6));
    }
  });

  it('are cut out of what a server echoes as its error', async () => {
    const advertisement = '000eversion 2\n0013ls-refs=unborn\n0019fetch=shallow filter\n0000';
    const url = await startFake(undo, (request, response) => {
      if (request.method === 'GET') {
        const headers = { 'content-type': 'application/x-git-upload-pack-advertisement' };
        response.writeHead(200, headers).end(advertisement.replace('0013', '0013').replace('0019', '0019'));
        return;
      }
      const text = `ERR no: ${request.headers.authorization} ${CREDENTIALS.password}`;
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      response.end(`${(text.length + 4).toString(16).padStart(4, '0')}${text}`);
    });
    const { log, lines } = recorder();
    const answer = await openReader(undo, { log }).readFile({
      remote: { url: `${url}/r.git`, local: true, credentials: CREDENTIALS },
      commit: 'a'.repeat(40) as never,
      path: path('a'),
      maxBytes: 10,
    });
    expect(code(answer)).toBe('git_protocol');
    for (const text of [JSON.stringify(answer), ...lines]) {
      expect(text).not.toContain(CREDENTIALS.password);
      expect(text).not.toContain(BASIC.slice(6));
    }
  });
});

describe('redirects', () => {
  it('are followed on the same host, and the place is kept for what comes after', async () => {
    const rig = await startRig(undo);
    await writeFile(join(rig.work, 'a'), 'a');
    const commit = await rig.push('one');
    const seen: string[] = [];
    const url = await startFake(undo, async (request, response, body) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization === BASIC}`);
      if (request.url?.startsWith('/old.git/') === true) {
        response.writeHead(301, { location: request.url.replace('/old.git/', '/repo.git/') }).end();
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
    const remote = { url: `${url}/old.git`, local: true, credentials: CREDENTIALS };
    const reader = openReader(undo);
    expect(value(await reader.readFile({ remote, commit, path: path('a'), maxBytes: 10 })).text).toBe('a');
    expect(seen.filter((line) => line.includes('/old.git/'))).toHaveLength(1);
    expect(seen.filter((line) => line === 'POST /repo.git/git-upload-pack true')).toHaveLength(3);
  });

  it.each([
    ['another host', 'http://localhost:1/r.git/info/refs?service=git-upload-pack', 'invalid_url'],
    ['another scheme', 'ftp://127.0.0.1/r.git/info/refs?service=git-upload-pack', 'invalid_url'],
    ['a file', 'file:///etc/passwd', 'invalid_url'],
    ['a sign-in page', '/users/sign_in', 'git_protocol'],
    ['another service', '/r.git/info/refs?service=git-receive-pack', 'git_protocol'],
    ['itself', '/r.git/info/refs?service=git-upload-pack', 'git_protocol'],
  ])('to %s are not', async (_name, location, expected) => {
    let hits = 0;
    const url = await startFake(undo, (_request, response) => {
      hits += 1;
      response.writeHead(302, { location }).end();
    });
    const remote = { url: `${url}/r.git`, local: true, credentials: CREDENTIALS };
    expect(code(await openReader(undo).listRefs(remote, [MAIN]))).toBe(expected);
    expect(hits).toBeLessThanOrEqual(4);
  });

  it('to another port of the same machine carry no credentials there', async () => {
    const seen: unknown[] = [];
    const other = await startFake(undo, (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    const url = await startFake(undo, (_request, response) => {
      response.writeHead(302, { location: `${other}/r.git/info/refs?service=git-upload-pack` }).end();
    });
    const remote = { url: `${url}/r.git`, local: true, credentials: CREDENTIALS };
    expect(code(await openReader(undo).listRefs(remote, [MAIN]))).toBe('invalid_url');
    expect(seen).toEqual([]);
  });
});
