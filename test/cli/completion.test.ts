import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/cli/index.ts';
import { runWith } from '../support/cli-world.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const folder = mkdtempSync(join(tmpdir(), 'hakopod-completion-'));
const file = (shell: Shell): string => join(folder, `hakopod.${shell}`);

beforeAll(async () => {
  for (const shell of SHELLS) {
    const { out, code } = await runWith({ version: '1' } as Runtime, ['completion', shell]);
    expect(code).toBe(0);
    writeFileSync(file(shell), `${out}\n`);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function isThere(shell: Shell): boolean {
  const is = spawnSync(shell, ['-c', 'true']).status === 0;
  if (!is) console.warn(`skipped: no ${shell} on this machine, so its completion is not tried`);
  return is;
}

/** What a shell offers at the end of the line. */
function offered(shell: Shell, line: string): readonly string[] {
  const words = line.split(' ');
  const bash = `source ${file('bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_hakopod; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const fish = `source ${file('fish')}; complete -C '${line}'`;
  const { stdout, stderr, status } = spawnSync(
    shell,
    shell === 'bash' ? ['--norc', '-c', bash] : ['--no-config', '-c', fish],
    {
      encoding: 'utf8',
      cwd: folder,
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .map((text) => text.split('\t')[0] ?? '')
    .filter((text) => text !== '');
}

const CASES = [
  ['hakopod sources gr', ['grant']],
  ['hakopod sources grant re', ['renew']],
  ['hakopod log', ['login', 'logout', 'logs']],
  ['hakopod --kubeconfig file sources grant sh', ['show']],
  ['hakopod domains ver', ['verify']],
  ['hakopod previews de', ['delete']],
  ['hakopod plans sh', ['show']],
  ['hakopod sources previews shop on --t', ['--ttl']],
  ['hakopod certificates add web --priv', ['--private-key']],
  ['hakopod deploy --wa', ['--wait']],
  ['hakopod apps show shop --out', ['--output']],
  ['hakopod apps list --output j', ['json']],
  ['hakopod --api-u', ['--api-url']],
] as const;

describe.each(['bash', 'fish'] as const)('completion in %s', (shell) => {
  it.runIf(isThere(shell)).each(CASES)('%s', (line, expected) => {
    expect([...offered(shell, line)].sort()).toEqual([...expected].sort());
  });
});

describe('completion', () => {
  it.each(SHELLS)('%s takes its script', (shell) => {
    if (!isThere(shell)) return;
    const { status, stderr } = spawnSync(shell, ['-n', file(shell)], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('knows no other shell', async () => {
    const { code, err } = await runWith({ version: '1' } as Runtime, ['completion', 'tcsh']);
    expect([code, err]).toEqual([2, 'error: SHELL: must be bash, zsh, fish [invalid_request]']);
  });
});
