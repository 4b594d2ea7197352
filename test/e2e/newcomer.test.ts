import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Child, startChild } from '../support/child.ts';
import { deliver, startWorld, until, type World } from '../support/world.ts';

const ROOT = join(import.meta.dirname, '../..');

let world: World;
let server: Child;
let environment: Record<string, string>;
let repository: string;

beforeAll(async () => {
  world = await startWorld();
  const bin = join(world.folder, 'bin');
  repository = join(world.folder, 'shop');
  await mkdir(bin);
  await mkdir(repository);
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(ROOT, 'src/main.ts')}' "$@"\n`;
  for (const [name, text] of [
    ['npx', npx],
    ['npm', '#!/bin/sh\n'],
  ] as const) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  const kubectl = join(world.folder, 'kubectl-config');
  await writeFile(kubectl, world.cluster.kubectlConfig, { mode: 0o600 });
  await writeFile(join(repository, 'token.txt'), 'forge-token-0123456789\n');
  environment = {
    PATH: `${bin}:${process.env.PATH ?? ''}`,
    HOME: world.folder,
    KUBECONFIG: kubectl,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.com',
  };
  // What somebody who has a repository has already.
  await sh(
    `git init --quiet --initial-branch=main && git remote add origin ${world.gitUrl} && git config push.autoSetupRemote true`,
  );
});
afterAll(() => world.stop());

async function sh(command: string, cwd = repository): Promise<{ readonly code: number; readonly text: string }> {
  const child = spawn('bash', ['-o', 'pipefail', '-c', command], {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)));
  return { code, text };
}

/** The commands of README, as they stand there. */
async function commands(): Promise<readonly string[]> {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const [, block = ''] = /<!-- newcomer:.*-->\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** A command with this machine's addresses in place of README's. */
function here(command: string): string {
  return (
    command
      .replace('https://github.com/acme/shop.git', `${world.gitUrl} --local`)
      .replace('--repository-id 123456789', '--repository-id 4711')
      .replace('http://127.0.0.1:8080', server?.url ?? '')
      .replace('ghcr.io/acme/shop:1.4', `${world.registry.host}/shop/web:2.0`)
      .replace('charts/', `${ROOT}/charts/`)
      // The embedded cluster publishes no OpenAPI and has the namespace already.
      .replace(/^kubectl apply .*/, '$& --validate=false')
      .replace('kubectl create namespace', 'kubectl get namespace')
  );
}

it('goes from nothing to a running application in under ten commands', async () => {
  const all = await commands();
  expect(all.length).toBeGreaterThan(5);
  expect(all.length).toBeLessThan(10);
  let hook = { url: '', secret: '' };
  for (const command of all) {
    if (command.endsWith('hakopod serve')) {
      server = await startChild(world, 'server,worker');
      const key = { apiVersion: 'v1', kind: 'Secret', namespace: 'hakopod-system', name: 'hakopod-admin-key' };
      await until('the first key is there', async () => {
        const read = await world.api.get(key);
        return read.ok && read.value !== undefined;
      });
      continue;
    }
    const { code, text } = await sh(here(command));
    expect(code, `${command}\n${text}`).toBe(0);
    if (command.includes('sources add')) {
      const [path = ''] = /\/hooks\/[0-9a-f]{32}/.exec(text) ?? [];
      hook = { url: `${server.url}${path}`, secret: /shown once\): (\S+)/.exec(text)?.[1] ?? '' };
    }
    if (command.includes('git push')) {
      const commit = (await sh('git rev-parse HEAD')).text.trim();
      expect((await deliver(hook, { commit })).status).toBe(202);
    }
  }
  const last = here(all.at(-1) ?? '');
  const shown = await until('the application is live', async () => {
    const { text } = await sh(last);
    return text.includes(': healthy, revision 1') && text;
  });
  expect(shown).toMatch(/web: ready, ready 1\/1, http:\/\/\S+apps\.example\.test/);
}, 90_000);
