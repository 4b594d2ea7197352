import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebSocket } from '../../src/cli/client/web-socket.ts';
import { OPERATION_LIMITS } from '../../src/ports/cluster-operations/index.ts';
import { must } from '../contracts/cluster.contract.ts';
import { shows } from '../support/claims.ts';
import { startPod } from '../support/real-pods.ts';
import { until } from '../support/world.ts';
import { QUIET_SECONDS, type Reach, startReach } from './reach.ts';
import { onPath } from './rig/cache.ts';

/*
 * Logs of and commands in the pods of an application the way people get at them: the command line and the HTTP API of a server that has the
 * rights its chart gives it.
 */

const { HAKOPOD_TEST_KUBECONFIG: kubeconfig, HAKOPOD_TEST_REGISTRY: registry, HAKOPOD_TEST_RIG: rig } = process.env;
const isPossible = kubeconfig !== undefined && registry !== undefined && rig !== undefined;
if (!isPossible) console.warn('SKIPPED: logs and commands by the command line: there is no rig with a node');
const TINY = { cpu: '10m', memory: '16Mi', 'ephemeral-storage': '16Mi' };
const SHOP = 'acme/production/shop';

describe.skipIf(!isPossible)('logs and commands by the command line and the API', () => {
  let reach: Reach;
  let quiet: ReturnType<Reach['spawn']>;
  beforeAll(async () => {
    reach = await startReach({ kubeconfig: kubeconfig!, registry: registry!, rig: rig! });
    quiet = reach.spawn(['logs', SHOP, 'web', '--follow']);
  }, 300_000);
  afterAll(() => reach?.stop());

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => reach.start(args, { env }).ended;
  const sees = (running: ReturnType<Reach['start']>, text: string): Promise<unknown> =>
    until(`it shows ${JSON.stringify(text)}`, () => running.out().includes(text), 60_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${running.out()}${running.err()}`);
    });
  const api = (path: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${reach.url}/api/v1/applications/${reach.id}/services/${path}`, {
      headers: { Authorization: `Bearer ${reach.key}` },
      ...(signal === undefined ? {} : { signal }),
    });

  it(`${shows('logs', 'lines_limit', 'bytes_limit', 'reads')} prints 10,000 lines or 4 MiB, and the last lines only`, async () => {
    const lines = await run(['logs', SHOP, 'lines']);
    expect([lines.code, lines.err]).toEqual([0, '']);
    expect(lines.out.split('\n').slice(-2)).toEqual([String(OPERATION_LIMITS.logLines), '']);
    const bytes = await api('bytes/logs');
    expect(Buffer.byteLength(await bytes.text())).toBe(OPERATION_LIMITS.logBytes);
    expect(bytes.headers.get('x-hakopod-container')).toBe('app');
    await until('all is written', async () => (await (await api('lines/logs?tail=1')).text()) === '20000\n');
    expect(await run(['logs', SHOP, 'lines', '--tail', '1'])).toEqual({ code: 0, out: '20000\n', err: '' });
  });

  it(`${shows('logs', 'unknown_container', 'pod_missing')} says what is wrong with a name`, async () => {
    const wrong = await run(['logs', SHOP, 'web', '--container', 'mian']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('[unknown_container]')]);
    const gone = await run(['logs', SHOP, 'web', '--pod', 'nobody']);
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('[pod_not_found]')]);
    const refused = await api('web/logs?container=mian');
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'unknown_container',
    ]);
  });

  it.skipIf(onPath('script') === undefined)(
    `${shows('openExec', 'tty', 'resize', 'exit_code')} is a terminal: typed input, sizes, and the exit code of the program`,
    async () => {
      const size = { rows: 33, columns: 111 };
      const shell = reach.spawnOnTerminal(['exec', SHOP, 'web', '--', 'sh'], size);
      await until('a prompt is shown', () => /[#$] /.test(shell.out()), 90_000);
      const [local = ''] = /\/dev\/pts\/\d+/.exec(shell.out()) ?? [];
      shell.type('stty size\n');
      await sees(shell, '33 111');
      await promisify(execFile)('stty', ['-F', local, 'rows', '50', 'cols', '132']);
      await until('the program is told of its new size', async () => {
        shell.type('stty size\n');
        await new Promise((resolve) => setTimeout(resolve, 200));
        return shell.out().includes('50 132');
      });
      shell.type('echo "sum: $((20 + 22))"; exit 3\n');
      expect((await shell.ended).code).toBe(3);
      expect(shell.out()).toContain('sum: 42');
    },
    150_000,
  );

  it(`${shows('openExec', 'exit_code', 'clean_end', 'transport_error')} ends with the program's exit code on a pipe and over the API`, async () => {
    expect(await run(['exec', SHOP, 'web', '--', 'sh', '-c', 'echo out; exit 3'])).toEqual({
      code: 3,
      out: 'out\r\n',
      err: '',
    });
    const cat = reach.start(['exec', SHOP, 'web', '--', 'cat']);
    cat.type('hello\n');
    await sees(cat, 'hello\r\nhello');
    cat.endInput();
    expect((await cat.ended).code).toBe(0);
    const none = await run(['exec', SHOP, 'web', '--', '/no/such/program']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('[exec_refused]')]);
    const socket = await openWebSocket(`${reach.url}/api/v1/applications/${reach.id}/services/web/exec`, {
      Authorization: `Bearer ${reach.key}`,
    });
    await socket.send(JSON.stringify({ argv: ['sh', '-c', 'exit 7'], rows: 24, columns: 80 }));
    const texts: string[] = [];
    for (let message = await socket.receive(); message !== undefined; message = await socket.receive())
      if (typeof message === 'string') texts.push(message);
    expect(texts.at(-1)).toBe(JSON.stringify({ ended: { exit_code: 7 } }));
  });

  it(`${shows('openExec', 'exec_idle', 'exec_lifetime', 'input_resets_idle')} ends without input, and in the end with it`, async () => {
    const times = { HAKOPOD_EXEC_IDLE_SECONDS: '2', HAKOPOD_EXEC_LIFETIME_SECONDS: '6' };
    const idle = await reach.startLocal(['exec', SHOP, 'web', '--', 'sleep', '60'], times).ended;
    expect([idle.code, idle.err]).toEqual([2, expect.stringContaining('[exec_idle]')]);
    const old = reach.startLocal(['exec', SHOP, 'web', '--', 'cat'], times);
    const typing = setInterval(() => old.type('still here\n'), 300);
    const ended = await old.ended.finally(() => clearInterval(typing));
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('[exec_lifetime]')]);
  });

  it(`${shows('openExec', 'pod_security_pod', 'pod_gone')} enters no pod that sees its host, though it is the service's`, async () => {
    const { namespace, image } = reach;
    await reach.label('privileged');
    try {
      await startPod(reach.admin, {
        ...{ namespace, name: 'host-path', image, command: ['sleep', '3600'] },
        labels: reach.labelsOf('web'),
        spec: {
          containers: [
            {
              ...{ name: 'app', image, command: ['sleep', '3600'] },
              // The budget of the environment counts every pod.
              resources: { limits: TINY, requests: TINY },
              volumeMounts: [{ name: 'etc', mountPath: '/host' }],
            },
          ],
          volumes: [{ name: 'etc', hostPath: { path: '/etc' } }],
        },
      });
    } finally {
      await reach.label('restricted');
    }
    const refused = await run(['exec', SHOP, 'web', '--pod', 'host-path', '--', 'sh']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('[pod_security]')]);
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: 'host-path' };
    const live = must(await reach.admin.get(ref));
    must(await reach.admin.delete(ref, { uid: live?.metadata.uid ?? '', propagation: 'Background' }));
    const gone = await run(['exec', SHOP, 'web', '--pod', 'nobody', '--', 'sh']);
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('[pod_not_found]')]);
  });

  it('is for whoever may alone, and on record without what was said', async () => {
    const only = ['--permission', 'deployments:read,logs:read', '--project', 'acme', '--environment', 'production'];
    const made = await run(['keys', 'create', `reader-${randomBytes(3).toString('hex')}`, ...only, '-o', 'json']);
    expect(made.err).toBe('');
    const { key } = JSON.parse(made.out) as { key: string };
    const reader = { HAKOPOD_API_KEY: key };
    expect((await run(['logs', SHOP, 'lines', '--tail', '1'], reader)).code).toBe(0);
    expect((await run(['exec', SHOP, 'web', '--', 'sh'], reader)).code).toBe(3);
    await run(['exec', SHOP, 'web', '--', 'echo', 'canary-argument']);
    const records = (await run(['audit', 'export', '--format', 'jsonl'])).out;
    for (const action of ['logs.read', 'pod.exec']) expect(records).toContain(action);
    expect(records).not.toContain('canary-argument');
    expect(reach.lines()).not.toContain('canary-argument');
  });

  it(`${shows('logs', 'reads')} shows what the container before the last restart wrote`, async () => {
    expect((await run(['logs', SHOP, 'lines', '--previous'])).err).toContain('[logs_unavailable]');
    await run(['exec', SHOP, 'lines', '--', 'kill', '1']);
    await until(
      'the container is another one',
      async () => (await (await api('lines/logs?previous=true&tail=1')).text()) === '20000\n',
      60_000,
    );
    expect((await run(['logs', SHOP, 'lines', '--previous', '--tail', '1'])).out).toBe('20000\n');
  });

  it(`${shows('logs', 'follow_quiet', 'cancel')} follows through a quiet minute, and is let go of with Ctrl-C`, async () => {
    await until('it goes on after a minute', () => quiet.out().includes('second'), 120_000);
    expect(quiet.out()).toBe('first\nsecond\n');
    quiet.interrupt();
    await quiet.ended;
    // There are four places; whoever left has given theirs back.
    const leave = new AbortController();
    for (let turn = 0; turn < OPERATION_LIMITS.logStreams; turn += 1) {
      let held: Response | undefined;
      // The server hears a moment later that somebody has gone.
      await until('there is a place', async () => {
        held = await api('web/logs?follow=true', leave.signal);
        return held.status === 200;
      });
      expect(Buffer.from((await held?.body?.getReader().read())?.value ?? []).toString()).toContain('first');
    }
    expect((await api('web/logs')).status).toBe(429);
    leave.abort();
    await until('there is a place again', async () => (await api('web/logs')).status === 200);
    const whole = await run(['logs', SHOP, 'web']);
    expect([whole.code, whole.out]).toEqual([0, 'first\nsecond\n']);
    // The pod began before somebody looked at the clock.
    expect(performance.now() - reach.startedAt).toBeGreaterThan((QUIET_SECONDS - 15) * 1000);
  }, 240_000);

  it('restarts, scales, stops and starts a service', async () => {
    const pods = async (): Promise<readonly string[]> =>
      must(
        await reach.admin.list({
          ...{ apiVersion: 'v1', kind: 'Pod', namespace: reach.namespace },
          labelSelector: `hakopod.io/service=lines`,
        }),
      )
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name);
    const [first = ''] = await pods();
    const change = async (args: readonly string[]): Promise<void> => {
      const ran = await run([...args, '--wait']);
      expect(ran, JSON.stringify(args)).toMatchObject({ code: 0 });
    };
    await change(['restart', SHOP, 'lines']);
    expect(await pods()).not.toContain(first);
    await change(['scale', SHOP, 'lines', '--replicas', '2']);
    await until('there are two pods', async () => (await pods()).length === 2);
    await change(['stop', SHOP, 'lines']);
    // A pod on its way out still has a log.
    await until(
      'there is no pod',
      async () => (await run(['logs', SHOP, 'lines'])).err.includes('[pod_not_found]'),
      60_000,
    );
    await change(['start', SHOP, 'lines']);
    expect((await pods()).length).toBeGreaterThan(0);
    expect((await run(['logs', SHOP, 'lines', '--tail', '1'])).code).toBe(0);
  }, 240_000);
});
