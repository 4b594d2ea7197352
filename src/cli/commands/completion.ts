import type { Command } from 'commander';
import { type Cli, refuse } from '../session.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `completion`: commands and flags of every level, from the commands themselves. */
export function addCompletion({ program, terminal, set }: Cli): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      `
Examples:
  source <(hakopod completion bash)      in ~/.bashrc
  source <(hakopod completion zsh)       in ~/.zshrc, after compinit
  hakopod completion fish > ~/.config/fish/completions/hakopod.fish`,
    )
    .action((shell: string) => {
      const known = SHELLS.find((one) => one === shell);
      if (known === undefined) return set(refuse(terminal, 'SHELL', `must be ${SHELLS.join(', ')}`));
      for (const line of known === 'fish' ? fishScript(program) : bashScript(program, known)) terminal.out(line);
    });
}

/** What can follow the words typed so far: `sources grant` -> its commands and flags. */
type Level = { readonly words: string; readonly commands: readonly string[]; readonly flags: readonly string[] };

function levelsOf(command: Command, words = ''): readonly Level[] {
  const commands = command.commands.map((one) => one.name());
  const flags = [...command.options.flatMap(({ long }) => (long ? [long] : [])), '--help'];
  const below = command.commands.flatMap((one) => levelsOf(one, `${words} ${one.name()}`.trim()));
  return [{ words, commands, flags }, ...below];
}

/** Flags after which a value comes, and what it can be. */
function valuesOf(command: Command): ReadonlyMap<string, readonly string[]> {
  const own = command.options
    .filter(({ required, optional }) => required || optional)
    .flatMap(({ long, short, argChoices = [] }) =>
      [long, short].flatMap((name) => (name ? [[name, argChoices] as const] : [])),
    );
  const below = command.commands.flatMap((one) => [...valuesOf(one)]);
  // A flag of two commands whose values differ is completed with neither's.
  const all = new Map<string, readonly string[]>();
  for (const [name, choices] of [...own, ...below]) {
    const before = all.get(name);
    all.set(name, before !== undefined && before.join() !== choices.join() ? [] : choices);
  }
  return all;
}

/** Words are letters, digits and hyphens, so nothing of them needs quoting. zsh runs completions of bash as they are. */
function bashScript(program: Command, shell: 'bash' | 'zsh'): readonly string[] {
  const levels = levelsOf(program);
  const values = valuesOf(program);
  const chosen = [...values].filter(([, choices]) => choices.length > 0);
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_hakopod() {',
    `  local words="" next="" word i cur="\${COMP_WORDS[COMP_CWORD]}"`,
    '  COMPREPLY=()',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    word="\${COMP_WORDS[i]}"`,
    '    case "$word" in',
    `      ${[...values.keys()].join('|')}) i=$((i + 1)) ;;`,
    '      -*) ;;',
    '      *)',
    `        case "\${words:+$words }$word" in`,
    `          ${levels.flatMap(({ words }) => (words === '' ? [] : [`"${words}"`])).join('|')}) words="\${words:+$words }$word" ;;`,
    '        esac',
    '        ;;',
    '    esac',
    '  done',
    `  case "\${COMP_WORDS[COMP_CWORD - 1]}" in`,
    ...chosen.map(
      ([name, choices]) => `    ${name}) COMPREPLY=($(compgen -W "${choices.join(' ')}" -- "$cur")); return ;;`,
    ),
    `    ${[...values.keys()].join('|')}) return ;;`,
    '  esac',
    '  case "$words" in',
    ...levels.map(({ words, commands, flags }) => `    "${words}") next="${[...commands, ...flags].join(' ')}" ;;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$next" -- "$cur"))',
    '}',
    'complete -o default -F _hakopod hakopod',
  ];
}

function fishScript(program: Command): readonly string[] {
  const levels = levelsOf(program);
  const values = valuesOf(program);
  return [
    'function __hakopod_at',
    '  set -l words',
    '  set -l skip 0',
    '  for word in (commandline -opc)[2..-1]',
    '    if test $skip -eq 1',
    '      set skip 0',
    `    else if contains -- $word ${[...values.keys()].join(' ')}`,
    '      set skip 1',
    "    else if not string match -q -- '-*' $word",
    `      contains -- "$words $word" ${levels.map(({ words }) => `" ${words}"`).join(' ')}`,
    '      and set words "$words $word"',
    '    end',
    '  end',
    '  test "$words" = "$argv[1]"',
    'end',
    ...levels.flatMap(({ words, commands, flags }) => {
      const at = words === '' ? '' : ` ${words}`;
      const line = (rest: string): string => `complete -c hakopod -n '__hakopod_at "${at}"' ${rest}`;
      return [
        ...(commands.length === 0 ? [] : [line(`-f -a '${commands.join(' ')}'`)]),
        ...flags.map((flag) => {
          const choices = values.get(flag);
          const value = choices === undefined ? '' : choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`;
          return line(`-l ${flag.slice(2)}${value}`);
        }),
      ];
    }),
  ];
}
