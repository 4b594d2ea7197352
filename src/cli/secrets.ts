import { fail, LIMITS, NAME, problem } from '../kernel/index.ts';
import { type Terminal, table, unwrap } from './io.ts';
import { parseApplication } from './names.ts';
import type { Workbench } from './workbench.ts';

/** Creates or replaces a secret from standard input; one trailing newline is dropped. The value is never shown again. */
export async function setSecret(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly app: string; readonly name: string },
): Promise<number> {
  return unwrap(terminal, parseApplication(input.app), async (key) => {
    if (!NAME.test(input.name))
      return unwrap(
        terminal,
        fail(problem('invalid_secret', 'the name must be 1 to 40 lowercase letters, digits or hyphens')),
        () => 0,
      );
    const value = (await terminal.readInput(LIMITS.secretValueBytes + 2)).replace(/\r?\n$/, '');
    return unwrap(terminal, await workbench.secrets.set(key, input.name, value), (done) => {
      terminal.out(`secret ${input.name} ${done}; releases from now on use it`);
      return 0;
    });
  });
}

/** Names and times; values can not be read back. */
export async function listSecrets(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly app: string; readonly json: boolean },
): Promise<number> {
  return unwrap(terminal, parseApplication(input.app), async (key) =>
    unwrap(terminal, await workbench.secrets.list(key), (secrets) => {
      if (input.json) terminal.out(JSON.stringify(secrets, undefined, 2));
      else
        for (const line of table(
          ['NAME', 'UPDATED'],
          secrets.map((secret) => [secret.name, secret.updatedAt]),
        ))
          terminal.out(line);
      return 0;
    }),
  );
}

/** Deletes a secret; running pods keep the value they started with. */
export async function deleteSecret(
  workbench: Workbench,
  terminal: Terminal,
  input: { readonly app: string; readonly name: string },
): Promise<number> {
  return unwrap(terminal, parseApplication(input.app), async (key) =>
    unwrap(terminal, await workbench.secrets.delete(key, input.name), (existed) => {
      if (!existed) return unwrap(terminal, fail(problem('not_found', 'there is no secret of this name')), () => 0);
      terminal.out(`secret ${input.name} deleted; the next release that needs it is refused`);
      return 0;
    }),
  );
}
