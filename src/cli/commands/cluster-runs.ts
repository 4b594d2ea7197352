import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { fail, ok, problem } from '../../kernel/index.ts';
import type { Answered } from '../client/api.ts';
import { readText } from '../offline/read.ts';
import { andThen, type Cli, type Flags, type Session, withOutput } from '../session.ts';
import { followed, printRun, readRun, runAndFollow, timeoutOf } from './run-followed.ts';

/** Bytes of a request; a service's environment alone may have 64 KiB. */
const REQUEST_BYTES = 1024 * 1024;

/** What is done in the cluster as runs: `cluster deploy`, `cluster remove` and `cluster run`. */
export function addClusterRuns(cluster: Command, { withApi }: Pick<Cli, 'withApi'>): void {
  const onRequest = (name: string, description: string): Command =>
    withOutput(
      cluster
        .command(name)
        .description(description)
        .argument('<file>', 'the request as YAML or JSON, or - for standard input')
        .option('--request-id <id>', 'of an earlier try, to find its run again')
        .option('--timeout <seconds>', 'how long it may take, at most 900', '600'),
    );
  onRequest('deploy', 'apply the services of one instance in a namespace, and wait for them')
    .addHelpText('after', DEPLOY_NOTES)
    .action((file: string, flags: Flags) =>
      withApi(flags, (session) => begin(session, { file, flags, path: '/cluster/deployments', more: {} })),
    );
  onRequest('remove', 'delete what an instance deployed; its claims stay')
    .requiredOption('--confirm <project>', 'the project of the request, typed again')
    .addHelpText('after', REMOVE_NOTES)
    .action((file: string, flags: Flags) =>
      withApi(flags, (session) => {
        const more = { confirm_name: String(flags.confirm) };
        return begin(session, { file, flags, path: '/cluster/removals', more });
      }),
    );
  withOutput(
    cluster
      .command('run')
      .description('how a run stands, or ended; it is kept for a day')
      .argument('<id>', 'its request id')
      .option('--wait', 'until it has ended'),
  ).action((id: string, flags: Flags) =>
    withApi(flags, async (session) => {
      const read = await readRun(session, id);
      return andThen(session, read, (run) => (flags.wait === true ? followed(session, run) : printRun(session, run)));
    }),
  );
}

const TARGET = `  target:
    namespace: shop
    application_id: 0f8fad5b-d9cb-469f-a165-70867728950e
    instance_id: 7c9e6679-7425-40de-944b-e07fc1f90ae7
    spec_digest: sha256:...`;
const DEPLOY_NOTES = `
Only what carries the instance's id is ever changed. There is one run at a time; Ctrl-C ends the waiting alone.

Example:
  project: shop
${TARGET}
  services:
    - name: web
      image: { reference: ghcr.io/acme/shop@sha256:..., digest: sha256:... }
      ports: [{ published: 80, target: 8080 }]
      env: { MODE: production }`;
const REMOVE_NOTES = `
Example:
  project: shop
${TARGET}
  services: [web]`;

type Request = { readonly file: string; readonly flags: Flags; readonly path: string; readonly more: object };

async function begin(session: Session, { file, flags, path, more }: Request): Promise<number> {
  const timeout = timeoutOf(session, flags.timeout);
  if (timeout.code !== undefined) return timeout.code;
  const read = await readRequest(session, file);
  return andThen(session, read, (request) => {
    const id = flags.requestId ?? (request as { readonly request_id?: unknown }).request_id ?? randomUUID();
    const body = { ...request, ...more, request_id: String(id), timeout_seconds: timeout.seconds };
    return runAndFollow(session, { method: 'POST', path, body });
  });
}

async function readRequest({ terminal }: Session, file: string): Promise<Answered<object>> {
  const text =
    file === '-'
      ? ok(await terminal.readInput(REQUEST_BYTES))
      : await readText(resolve(terminal.folder ?? '.', file), REQUEST_BYTES);
  if (!text.ok) return text;
  try {
    const value: unknown = parse(text.value);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return ok(value);
  } catch {
    // told below, without the parser's words: they quote the text
  }
  return fail(problem('invalid_request', 'the text is not YAML or JSON of a request', { at: 'FILE' }));
}
