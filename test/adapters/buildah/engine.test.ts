import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildahOptions, createBuildahEngine } from '../../../src/adapters/buildah/index.ts';
import type { Result } from '../../../src/kernel/index.ts';
import type { BuildRequest } from '../../../src/ports/index.ts';
import { copyBusybox, type DockerRegistry, skipBuilds, startDockerRegistry } from '../../support/docker-registry.ts';

const isSkipped = await skipBuilds('test/adapters/buildah/engine.test.ts');
const CANARY = 'canary-4f1d2a7c';

describe.skipIf(isSkipped)('building with buildah', () => {
  let registry: DockerRegistry;
  let folder: string;
  beforeAll(async () => {
    registry = await startDockerRegistry();
    folder = await mkdtemp(join(tmpdir(), 'hakopod-buildah-'));
    process.env.HAKOPOD_TEST_CANARY = CANARY;
  });
  afterAll(async () => {
    delete process.env.HAKOPOD_TEST_CANARY;
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  });

  type Made = { readonly result: Result<{ readonly digest: string }>; readonly log: string };

  /** Builds a Dockerfile beside a static busybox. */
  async function build(
    dockerfile: string,
    given: Partial<BuildRequest> & {
      readonly options?: Partial<BuildahOptions>;
      readonly prepare?: (context: string) => Promise<void>;
    } = {},
  ): Promise<Made> {
    const { options, prepare, ...request } = given;
    const engine = createBuildahEngine({
      folder,
      diskBytes: 512 * 1024 ** 2,
      network: 'host',
      localRegistries: [`http://${registry.host}`],
      ...options,
    });
    const space = await engine.prepare();
    if (!space.ok) throw new Error(space.problem.message);
    const { contextDir, dispose } = space.value;
    let log = '';
    try {
      await copyBusybox(join(contextDir, 'busybox'));
      await writeFile(join(contextDir, 'Dockerfile'), dockerfile);
      await prepare?.(contextDir);
      const result = await engine.build({
        contextDir,
        dockerfile: 'Dockerfile',
        buildArgs: {},
        image: `${registry.host}/test/image:1`,
        registries: ['**'],
        deadline: new Date(Date.now() + 60_000),
        signal: new AbortController().signal,
        ...request,
        onLog: (text) => {
          log += text;
          request.onLog?.(text);
        },
      });
      return { result, log };
    } finally {
      await dispose();
    }
  }

  const shell = (script: string): string =>
    `FROM scratch\nCOPY busybox /bin/busybox\nCOPY busybox /bin/sh\nRUN ${JSON.stringify(['/bin/busybox', 'sh', '-c', script])}\n`;

  it('pushes an image FROM scratch with its build args, and answers the digest the registry has', async () => {
    const { result, log } = await build(
      'FROM scratch AS other\nFROM scratch AS wanted\nARG GREETING\nCOPY busybox /bin/busybox\nLABEL greeting=$GREETING\nFROM scratch AS last\n',
      { buildArgs: { GREETING: 'hello $HOME "you"' }, target: 'wanted' },
    );
    expect(log).toContain('LABEL greeting');
    if (!result.ok) throw new Error(log);
    expect(result.value.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const manifest = (await registry.json(`test/image/manifests/${result.value.digest}`)) as {
      config: { digest: string };
    };
    const config = (await registry.json(`test/image/blobs/${manifest.config.digest}`)) as {
      config: { Labels: Record<string, string> };
    };
    expect(config.config.Labels.greeting).toBe('hello $HOME "you"');
    expect(await readdir(folder)).toEqual([]);
  });

  it('shows a build step nothing of the worker: no environment, no process, no device, no way out of the chroot', async () => {
    const { result, log } = await build(
      shell(
        [
          '/bin/busybox env',
          '/bin/busybox cat /proc/*/environ | /bin/busybox tr "\\0" "\\n"',
          'echo "processes: $(/bin/busybox ls /proc | /bin/busybox grep -c "^[0-9]")"',
          'echo "devices: $(/bin/busybox find /dev -type b | /bin/busybox wc -l)"',
          '/bin/busybox mkdir /out; /bin/busybox chroot /out /bin/busybox true && echo escaped',
          '/bin/busybox ls /run/secrets 2>/dev/null',
          'true',
        ].join('; '),
      ),
      { credentials: { username: 'robot', token: 'push-token-77aa' } },
    );
    expect(result).toMatchObject({ ok: true });
    expect(log).not.toContain(CANARY);
    expect(log).not.toContain('HAKOPOD');
    expect(log).not.toContain('push-token-77aa');
    expect(log).not.toMatch(/^escaped/m);
    expect(Number(/^processes: (\d+)$/m.exec(log)?.[1])).toBeLessThan(10);
    expect(log).toMatch(/^devices: 0$/m);
    expect(log).not.toContain(folder);
  });

  it('refuses what a Dockerfile names outside of the allowed registries, files of the machine too', async () => {
    const refused = { code: 'grant_refused' };
    const base = await build('FROM scratch\nCOPY busybox /b\n', { image: `${registry.host}/test/base:1` });
    expect(base.result.ok).toBe(true);
    const from = `FROM ${registry.host}/test/base:1\nLABEL a=b\n`;
    expect((await build(from, { registries: ['docker.io'] })).result).toMatchObject({ ok: false, problem: refused });
    expect((await build(from, { registries: [registry.host] })).result).toMatchObject({ ok: true });
    const copied = `FROM scratch\nCOPY --from=${registry.host}/test/base:1 /b /b\n`;
    expect((await build(copied, { registries: ['docker.io'] })).result.ok).toBe(false);
    const archive = join(folder, '..', `layout-${process.pid}`);
    expect((await build(`FROM oci:${archive}\nLABEL a=b\n`)).result.ok).toBe(false);
  });

  it('runs no preprocessor and follows no link out of the context for its Dockerfile', async () => {
    const included = await build('FROM scratch\n', {
      dockerfile: 'Dockerfile.in',
      prepare: (context) =>
        writeFile(join(context, 'Dockerfile.in'), '#include "/etc/passwd"\nFROM scratch\nCOPY busybox /b\n'),
    });
    expect(included.log).not.toContain('root:');
    expect(included.result).toMatchObject({ ok: true });
    const linked = await build('FROM scratch\n', {
      dockerfile: 'link',
      prepare: (context) => symlink('/etc/passwd', join(context, 'link')),
    });
    expect(linked).toMatchObject({ result: { ok: false, problem: { code: 'file_not_found' } }, log: '' });
    const above = await build('FROM scratch\n', { dockerfile: '../../Dockerfile' });
    expect(above.result).toMatchObject({ ok: false, problem: { code: 'file_not_found' } });
  });

  it('says what failed, and that a registry that is away is worth another try', async () => {
    // buildah now and then loses the output of a step that ends at once.
    const failed = await build(shell('echo no such target; /bin/busybox sleep 0.3; exit 3'));
    expect(failed.result).toMatchObject({ ok: false, problem: { code: 'build_failed' } });
    expect(failed.log).toMatch(/^no such target$/m);
    const nowhere = { image: '127.0.0.1:1/test/image:1', options: { localRegistries: ['http://127.0.0.1:1'] } };
    expect((await build('FROM scratch\nCOPY busybox /b\n', nowhere)).result).toMatchObject({
      ok: false,
      problem: { code: 'registry_unavailable', kind: 'transient' },
    });
  }, 60_000);

  it('speaks https unless plain http is allowed for the host', async () => {
    const { result, log } = await build('FROM scratch\nCOPY busybox /b\n', { options: { localRegistries: [] } });
    expect(result).toMatchObject({ ok: false, problem: { code: 'registry_unavailable' } });
    expect(log).toContain('HTTPS client');
  }, 60_000);

  it('ends with everything it started: at the signal, at the deadline, at the disk bound', async () => {
    const marker = `sleeper-${process.pid}`;
    const forever = shell(`(/bin/busybox setsid /bin/busybox sleep 7777 &); echo ${marker}; /bin/busybox sleep 7777`);
    const cancel = new AbortController();
    const onLog = (text: string): void => {
      if (text.split('\n').includes(marker)) cancel.abort();
    };
    const cancelled = await build(forever, { signal: cancel.signal, onLog });
    expect(cancelled.result).toMatchObject({ ok: false, problem: { code: 'worker_stopping' } });
    const late = await build(forever, { deadline: new Date(Date.now() + 1500) });
    expect(late.result).toMatchObject({ ok: false, problem: { code: 'build_timeout' } });
    const big = await build(shell('/bin/busybox dd if=/dev/zero of=/big bs=1M count=64; /bin/busybox sleep 7777'), {
      options: { diskBytes: 48 * 1024 ** 2 },
    });
    expect(big.result).toMatchObject({ ok: false, problem: { code: 'build_too_large' } });
    expect(await sleepers()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  }, 60_000);

  it('shows the push its credentials, and only the push', async () => {
    // bcrypt of "right-password", cost 5
    const login = await startDockerRegistry({
      htpasswd: 'robot:$2y$05$taeXCS5Sz7XN3.UZP6Iqte/W/pEZkAN.KvbL.JXrWR04f53GOp3.u',
    });
    try {
      const to = (token: string | undefined) =>
        build('FROM scratch\nCOPY busybox /b\n', {
          image: `${login.host}/test/image:1`,
          options: { localRegistries: [`http://${login.host}`] },
          ...(token === undefined ? {} : { credentials: { username: 'robot', token } }),
        });
      expect((await to('right-password')).result).toMatchObject({ ok: true });
      expect((await to('wrong-password')).result).toMatchObject({
        ok: false,
        problem: { code: 'registry_unauthorized' },
      });
      expect((await to(undefined)).result).toMatchObject({ ok: false, problem: { code: 'registry_unauthorized' } });
    } finally {
      await login.stop();
    }
  }, 60_000);
});

/** Command lines of processes that a build of this file left running. */
async function sleepers(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.includes('sleep\x007777') || line.includes('sleep\u00007777')) found.push(line);
  }
  return found;
}
