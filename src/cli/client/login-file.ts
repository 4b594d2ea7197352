import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { fail, ok, problem, type Result } from '../../kernel/index.ts';

/** What `hakopod login` remembers (facts 8.1). */
export const Login = z.strictObject({
  url: z.string(),
  key: z.string(),
  project: z.string().optional(),
  environment: z.string().optional(),
});
export type Login = z.infer<typeof Login>;

/** `rw-------`: the file holds a key. */
const MODE = 0o600;

/**
 * Reads the login; `undefined` when there is none. Facts 8.1: a file that others could read is refused, because its key may be known to them.
 */
export async function readLogin(file: string): Promise<Result<Login | undefined>> {
  const refuse = (message: string, cause?: unknown): Result<never> =>
    fail(problem('invalid_config', message, { at: file, cause }));
  try {
    const { mode } = await stat(file);
    if ((mode & 0o777) !== MODE) return refuse('others can read the login; run `chmod 600` on it, or log in again');
    const parsed = Login.safeParse(JSON.parse(await readFile(file, 'utf8')));
    return parsed.success ? ok(parsed.data) : refuse('is not a login file; log in again');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return ok(undefined);
    return refuse('the login can not be read; log in again', cause);
  }
}

/** Writes the login in one step: nobody ever sees half of it, or sees it at all. */
export async function writeLogin(file: string, login: Login): Promise<Result<void>> {
  const half = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(half, `${JSON.stringify(login, undefined, 2)}\n`, { mode: MODE, flag: 'wx' });
    await chmod(half, MODE);
    await rename(half, file);
    return ok(undefined);
  } catch (cause) {
    await rm(half, { force: true });
    return fail(problem('invalid_config', 'the login can not be written', { at: file, cause }));
  }
}

/** Forgets the login; false when there was none. */
export async function removeLogin(file: string): Promise<boolean> {
  try {
    await rm(file);
    return true;
  } catch {
    return false;
  }
}
