import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editorCommand } from '../config.ts';
import { fail, ok, problem, type Result } from '../kernel/index.ts';

/** Lets a person edit a text in a file only they can read; `undefined` when it is as it was. `invalid_config` when the editor fails. */
export async function editText(
  text: string,
  [program = 'vi', ...flags]: readonly string[] = editorCommand(),
): Promise<Result<string | undefined>> {
  const folder = await mkdtemp(join(tmpdir(), 'hakopod-edit-'));
  try {
    const file = join(folder, 'workload.yaml');
    await writeFile(file, text, { mode: 0o600 });
    const code = await new Promise<number | null>((resolve) => {
      const editor = spawn(program, [...flags, file], { stdio: 'inherit' });
      editor.on('error', () => resolve(null));
      editor.on('close', resolve);
    });
    if (code !== 0) return fail(problem('invalid_config', 'the editor did not work; set EDITOR'));
    const edited = await readFile(file, 'utf8');
    return ok(edited === text ? undefined : edited);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
