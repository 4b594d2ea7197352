import type { Command } from 'commander';
import { Option } from 'commander';
import { Source, SourcePolicy } from '../../ports/api/index.ts';
import { path } from '../client/api.ts';
import { print, short, when } from '../output.ts';
import { andThen, type Cli, type Flags, refuse, type Session } from '../session.ts';
import { collect } from './collect.ts';
import { say } from './environments.ts';
import { onSource } from './on-source.ts';

/** `sources policy show|set`: when a commit may be released. */
export function addPolicy(sources: Command, cli: Cli): void {
  const policy = sources.command('policy').description('when a commit that the grant allows is released');
  onSource(cli, policy.command('show').description('show the deploy policy'), showPolicy);
  onSource(
    cli,
    policy
      .command('set')
      .description('change the deploy policy; what is not named stays')
      .addOption(
        new Option('--mode <mode>', 'release at once, or when a person approves').choices(['automatic', 'approval']),
      )
      .option('--check <name>', 'status or check run that must succeed first (repeatable)', collect)
      .option('--no-check', 'wait for no check any more')
      .option('--freeze <window>', 'when nothing is released (repeatable)', collect)
      .option('--no-freeze', 'no freeze any more')
      .addHelpText(
        'after',
        `
Examples:
  hakopod sources policy set shop --mode approval --check "ci / test"
  hakopod sources policy set shop --freeze "0 18 * * 5 for 62h in Europe/Berlin"

A freeze starts as its five cron fields say, and lasts so many minutes (m), hours (h) or days (d).
Without a time zone it is in UTC.`,
      ),
    setPolicy,
  );
}

/** `approve`: lets the plan that waits be released. */
export function addApprove(cli: Cli): void {
  onSource(
    cli,
    cli.program
      .command('approve')
      .description('release the plan that waits for an approval')
      .option('--commit <sha>', 'only if it is the plan of this commit (the start of its id is enough)')
      .addHelpText('after', '\nExample:\n  hakopod approve shop --commit 1f0c9a2'),
    approve,
  );
}

async function showPolicy(session: Session, id: string): Promise<number> {
  const policy = await session.api.call({ method: 'GET', path: path`/sources/${id}/policy`, answer: SourcePolicy });
  return andThen(session, policy, (value) => print(session, value, policyLines));
}

async function setPolicy(session: Session, id: string, flags: Flags): Promise<number> {
  const { mode, check, freeze } = flags;
  const windows =
    freeze === false ? [] : Array.isArray(freeze) ? freeze.map((text) => windowOf(String(text))) : undefined;
  if (windows?.some((window) => window === undefined))
    return refuse(session.terminal, '--freeze', 'must be such as "0 18 * * 5 for 62h in Europe/Berlin"');
  const body = {
    ...(mode === undefined ? {} : { mode }),
    ...(check === false ? { checks: [] } : Array.isArray(check) ? { checks: check } : {}),
    ...(windows === undefined ? {} : { freeze: windows }),
  };
  const set = await session.api.call({ method: 'PUT', path: path`/sources/${id}/policy`, body, answer: SourcePolicy });
  return andThen(session, set, (value) => print(session, value, policyLines));
}

const MINUTES: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
const WINDOW = /^\s*(\S+(?:\s+\S+){4})\s+for\s+(\d{1,5})([mhd])(?:\s+in\s+(\S+))?\s*$/;

function windowOf(text: string): SourcePolicy['freeze'][number] | undefined {
  const [, start, amount, unit, timezone] = WINDOW.exec(text) ?? [];
  if (start === undefined) return undefined;
  const minutes = Number(amount) * (MINUTES[unit ?? ''] ?? 1);
  return { start, minutes, ...(timezone === undefined ? {} : { timezone }) };
}

function policyLines({ mode, checks, freeze }: SourcePolicy): readonly string[] {
  return [
    `release: ${mode === 'approval' ? 'when a person approves the plan (`hakopod approve`)' : 'at once'}`,
    `checks:  ${checks.join(', ') || 'none'}`,
    `freeze:  ${freeze.map(({ start, minutes, timezone }) => `${start} for ${minutes}m in ${timezone ?? 'UTC'}`).join(', ') || 'never'}`,
  ];
}

async function approve(session: Session, id: string, flags: Flags): Promise<number> {
  const name = id.replaceAll('.', '/');
  const source = await session.api.call({ method: 'GET', path: path`/sources/${id}`, answer: Source });
  return andThen(session, source, async ({ waiting }) => {
    const wanted = flags.commit === undefined ? undefined : String(flags.commit).toLowerCase();
    if (wanted !== undefined && !/^[0-9a-f]{7,64}$/.test(wanted))
      return refuse(session.terminal, '--commit', 'must be at least seven hexadecimal digits of a commit');
    // Without a plan that waits, the server says so.
    const commit = waiting?.commit_sha ?? '0'.repeat(40);
    if (wanted !== undefined && waiting !== undefined && !commit.startsWith(wanted))
      return refuse(session.terminal, '--commit', `another commit waits by now: ${short(commit)}`);
    const body = { commit_sha: commit, ...(waiting === undefined ? {} : { digest: waiting.digest }) };
    return say(
      session,
      session.api.call({ method: 'POST', path: path`/sources/${id}/approve`, body, answer: Source }),
      `${name}: the plan of ${short(commit)} is approved`,
    );
  });
}

/** What `sources show` says of a plan that waits. */
export function waitLines({ waiting }: Source): readonly string[] {
  if (waiting === undefined) return [];
  const what =
    waiting.for === 'approval'
      ? 'an approval: `hakopod approve`'
      : waiting.for === 'check'
        ? `the check ${waiting.check ?? ''}`
        : `the end of the freeze, ${when(waiting.until ?? waiting.since)}`;
  return [`waits for:    ${what} (${short(waiting.commit_sha)}, since ${when(waiting.since)})`];
}
