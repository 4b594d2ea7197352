import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL, type Principal } from '../../src/access/index.ts';
import { type Runtime, runCli, type Screen } from '../../src/cli/index.ts';
import { fail, ok, problem } from '../../src/kernel/index.ts';
import { type ApiWorld, apiWorld } from '../support/api-world.ts';
import { echo } from '../support/fake-cluster-operations.ts';
import { until } from '../support/redis.ts';

const SHOP = 'acme/production/shop';

let world: ApiWorld;
beforeEach(async () => {
  world = await apiWorld();
});

type Ran = { readonly code: number; readonly out: string; readonly err: string };
type Options = {
  readonly principal?: Principal;
  readonly input?: string;
  readonly screen?: Screen;
  readonly edit?: (text: string) => string | undefined;
};

async function run(args: readonly string[], options: Options = {}): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const { principal = LOCAL, edit } = options;
  const runtime: Runtime = {
    version: '1.2.3',
    now: () => world.memory.now,
    serve: async () => 0,
    demo: async () => 0,
    openApi: async () =>
      ok({
        where: 'the cluster',
        origin: 'http://hakopod.local',
        fetch: (request) => world.api.fetch(request, principal),
        connect: (request) => world.api.connect(request, principal),
        close: async () => undefined,
      }),
    clientEnvironment: () => ({ apiUrl: undefined, apiKey: undefined, loginFile: '/nonexistent/login.json' }),
    ...(edit === undefined ? {} : { edit: async (text: string) => ok(edit(text)) }),
    doctor: async () => [],
    checkUrl: () => ok(undefined),
  };
  const code = await runCli(
    runtime,
    {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      readInput: async () => options.input ?? '',
      ...(options.screen === undefined ? {} : { screen: options.screen }),
    },
    args,
  );
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** A terminal a test types on. */
function terminal(isTerminal = true) {
  let size = { rows: 40, columns: 100 };
  let input: ((chunk: Uint8Array | undefined) => void) | undefined;
  let resized = (): void => {};
  let written = Buffer.alloc(0);
  const screen: Screen = {
    isTerminal,
    size: () => size,
    onResize: (listener) => {
      resized = listener;
      return () => {
        resized = () => {};
      };
    },
    onInput: (listener) => {
      input = listener;
      return () => {
        input = undefined;
      };
    },
    write: async (chunk) => {
      written = Buffer.concat([written, chunk]);
    },
  };
  const sees = (text: string): Promise<void> =>
    until(() => written.toString().includes(text), `the screen shows ${text}`);
  return {
    screen,
    sees,
    type: async (text: string) => {
      await until(() => input !== undefined, 'somebody listens');
      input?.(Buffer.from(text));
    },
    endInput: () => input?.(undefined),
    grow: () => {
      size = { rows: 50, columns: 132 };
      resized();
    },
    get shown() {
      return written.toString();
    },
    get listens() {
      return input !== undefined;
    },
  };
}

const asked = (name: string): unknown => world.clusterOperations.calls.findLast((call) => call.name === name)?.input;

describe('hakopod logs', () => {
  it('prints what the service writes, and asks for what the flags say', async () => {
    const flags = ['--tail', '5', '--since', '2026-11-29T12:00:00Z', '--timestamps', '--previous', '--follow'];
    expect(await run(['logs', SHOP, 'web', ...flags])).toEqual({ code: 0, out: 'one\ntwo', err: '' });
    expect(asked('logs')).toMatchObject({ tail: 5, timestamps: true, previous: true, follow: true });
    expect((await run(['logs', SHOP, 'web', '--tail', 'all'])).code).toBe(2);
    expect(await run(['logs', SHOP, 'web', '--pod', 'nobody'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('[pod_not_found]'),
    });
  });

  it('lets a program colour its lines and steer nothing, and changes nothing for a pipe', async () => {
    const raw = '\u001b[31mred\u001b[0m\ttab\r\n\u001b]0;title\u0007\u001b[2Jdone';
    world.clusterOperations.readLog = async (_request, sink) => {
      // Cut inside of a line and of a character.
      const bytes = Buffer.from(`${raw} ü\n`);
      const first = await sink(bytes.subarray(0, bytes.length - 2));
      return first.ok ? sink(bytes.subarray(bytes.length - 2)) : first;
    };
    const shown = await run(['logs', SHOP, 'web'], { screen: terminal().screen });
    expect(shown.out).toBe('\u001b[31mred\u001b[0m\ttab\n\\u{1b}]0;title\\u{7}\\u{1b}[2Jdone ü');
    const pipe = terminal(false);
    expect(await run(['logs', SHOP, 'web'], { screen: pipe.screen })).toMatchObject({ code: 0, out: '' });
    expect(pipe.shown).toBe(`${raw} ü\n`);
  });

  it('says that a log broke off', async () => {
    world.clusterOperations.readLog = async (_request, sink) => {
      await sink(Buffer.from('one\n'));
      return fail(problem('logs_unavailable'));
    };
    expect(await run(['logs', SHOP, 'web'])).toEqual({ code: 1, out: 'one', err: 'the log broke off' });
  });

  it('is not for whoever may only deploy', async () => {
    const principal = await world.person({
      name: 'dora',
      holds: ['deployments:read', 'deployments:write'],
      key: ['deployments:read', 'deployments:write'],
    });
    expect(await run(['logs', SHOP, 'web'], { principal })).toMatchObject({ code: 3 });
    expect(await run(['exec', SHOP, 'web', '--', 'sh'], { principal })).toMatchObject({ code: 3 });
  });
});

describe('hakopod exec', () => {
  it('is a terminal: what is typed, sizes, and the exit code of the program', async () => {
    const session = echo();
    world.clusterOperations.execute = async () => ok(session);
    const person = terminal();
    const running = run(['exec', SHOP, 'web', '--', 'sh', '-c', 'x', '--flag'], { screen: person.screen });
    await person.sees('40x100');
    await person.type('hello');
    await person.sees('you said hello');
    person.grow();
    await person.sees('50x132');
    await person.type('exit');
    expect(await running).toEqual({ code: 3, out: '', err: '' });
    expect(person.listens).toBe(false);
    expect(asked('openExec')).toMatchObject({
      argv: ['sh', '-c', 'x', '--flag'],
      pod: { name: 'web-1', container: 'app' },
    });
  });

  it('tells the program that a pipe has ended, in pieces that fit', async () => {
    const session = echo();
    world.clusterOperations.execute = async () => ok(session);
    const pipe = terminal(false);
    const running = run(['exec', SHOP, 'web', '--', 'cat'], { screen: pipe.screen });
    await pipe.type('x'.repeat(40_000));
    await pipe.sees(`you said ${'x'.repeat(32 * 1024)}you said ${'x'.repeat(40_000 - 32 * 1024)}`);
    pipe.endInput();
    await pipe.sees('you said \u0004');
    await pipe.type('exit');
    expect((await running).code).toBe(3);
  });

  it.each(['pod_security', 'exec_refused', 'exec_idle'] as const)('says what went wrong: %s', async (code) => {
    world.clusterOperations.execute = async () => fail(problem(code));
    const ran = await run(['exec', SHOP, 'web', '--', 'sh'], { screen: terminal().screen });
    expect(ran.err).toContain(`[${code}]`);
    expect(ran.code).toBeGreaterThan(0);
  });

  it('does not take an end by somebody else for a good one', async () => {
    const session = echo();
    world.clusterOperations.execute = async () => ok(session);
    const person = terminal();
    const running = run(['exec', SHOP, 'web', '--', 'sh'], { screen: person.screen });
    await person.sees('40x100');
    session.close();
    expect(await running).toMatchObject({ code: 2, err: expect.stringContaining('[exec_closed]') });
  });
});

describe('hakopod workloads and cluster', () => {
  it('lists what runs, and says what is missing', async () => {
    const listed = await run(['workloads']);
    expect(listed).toEqual({
      code: 0,
      out: 'NAMESPACE  KIND        NAME  READY  IMAGES\nshop       Deployment  web   1/2    ghcr.io/acme/shop:1.4',
      err: 'not whole, or not readable: nodes\nthe health of the cluster is unknown',
    });
    expect((await run(['workloads', '--in', 'blog'])).out).not.toContain('shop');
    const all = JSON.parse((await run(['workloads', '-o', 'json'])).out);
    expect(all).toMatchObject({
      health: 'unknown',
      storage_classes: [{ is_default: true }],
      services: [{ cluster_ip: '10.0.0.1' }],
    });
  });

  it('reads one, and changes what an editor changed', async () => {
    const read = await run(['workload', 'read', 'shop/deployment/web']);
    expect(read.out).toContain('resource_version: "7"');
    expect(read.out).toContain('secret: web-secret/token');
    const edit = (text: string): string => text.replace('shop:1.4', 'shop:1.5');
    const edited = await run(['workload', 'edit', 'shop/deployment/web'], { edit });
    expect(edited).toEqual({ code: 0, out: 'apply: succeeded\nsucceeded', err: '' });
    expect(asked('applyWorkload')).toMatchObject({
      resourceVersion: '7',
      spec: { containers: [{ image: 'ghcr.io/acme/shop:1.5' }] },
    });
    const count = world.clusterOperations.calls.length;
    expect((await run(['workload', 'edit', 'shop/deployment/web'], { edit: () => undefined })).out).toBe(
      'nothing is changed',
    );
    expect((await run(['workload', 'edit', 'shop/deployment/web', '--stdin'], { input: ': : :' })).code).toBe(2);
    expect(world.clusterOperations.calls.slice(count).map(({ name }) => name)).not.toContain('applyWorkload');
    expect((await run(['workload', 'edit', 'web'])).code).toBe(2);
  });

  it.each([
    ['succeeded', '', 0],
    ['denied', 'forbidden', 3],
    ['denied', 'conflict', 4],
    ['denied', 'not_found', 2],
    ['timed_out', 'runtime_timeout', 5],
  ] as const)('ends as it ended: %s %s is %i', async (outcome, detail, code) => {
    world.clusterOperations.operate = async () => ({ outcome, detail });
    const ran = await run(['workload', 'restart', 'shop/statefulset/db']);
    expect([ran.code, ran.out]).toEqual([code, detail === '' ? outcome : `${outcome}: ${detail}`]);
  });

  it('scales and deletes, the name typed again', async () => {
    expect((await run(['workload', 'scale', 'shop/statefulset/db', '--replicas', '3'])).code).toBe(0);
    expect(asked('operate')).toMatchObject({ reference: 'shop/statefulset/db', expects: { replicas: 3 } });
    expect((await run(['workload', 'scale', 'shop/statefulset/db', '--replicas', '1001'])).code).toBe(2);
    expect((await run(['workload', 'delete', 'shop/pod/web-1', '--confirm', 'web'])).code).toBe(2);
    expect((await run(['workload', 'delete', 'shop/pod/web-1', '--confirm', 'web-1'])).code).toBe(0);
    expect(asked('operate')).toMatchObject({ action: 'pod.delete', reference: 'shop/pod/web-1' });
  });

  it('tells the facts, and prints the file for another cluster', async () => {
    expect((await run(['cluster', 'facts'])).out).toBe(
      'runtime: kubernetes\nserver_version: v1.35.4\nplatform: linux/amd64\nnode_count: 2',
    );
    const flags = ['--name', 'East', '--namespaces', 'shop, blog,shop'];
    const made = await run(['cluster', 'manifest', ...flags]);
    expect(made.out).toContain('# It may deploy, operate and exec in: blog, shop.');
    expect(made.err).toContain('hakopod-operations-east.yaml');
    const image = `ghcr.io/hakopod/hakopod@sha256:${'a'.repeat(64)}`;
    const enrol = ['cluster', 'manifest', ...flags, '--image', image, '--link-stdin'];
    const enrolled = await run(enrol, { input: 'https://hakopod.example.com/#token\n' });
    expect(enrolled.out.split('#token')).toHaveLength(2);
    expect((await run(enrol, { input: 'http://hakopod.example.com' })).code).toBe(2);
  });
});
