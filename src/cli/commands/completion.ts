import type { Command } from 'commander';
import { type Cli, refuse } from '../session.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `completion`: commands and flags of every level, from the commands themselves. */
export function addCompletion({ program, terminal, set }: Cli): void {
  program
    .command('completion')
    .description('print a completion script, such as: source <(hakopod completion bash)')
    .argument('<shell>', SHELLS.join(', '))
    .action((shell: string) => {
      const known = SHELLS.find((one) => one === shell);
      if (known === undefined) return set(refuse(terminal, 'SHELL', `must be ${SHELLS.join(', ')}`));
      for (const line of scriptOf(known, levelsOf(program))) terminal.out(line);
    });
}

/** What can follow the words typed so far: `sources grant` -> its commands and flags. */
type Level = { readonly words: string; readonly next: readonly string[] };

function levelsOf(command: Command, words = ''): readonly Level[] {
  const commands = command.commands.map((one) => one.name());
  const flags = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
  const own = { words, next: [...commands, ...flags, '--help'] };
  return [own, ...command.commands.flatMap((one) => levelsOf(one, `${words} ${one.name()}`.trim()))];
}

function scriptOf(shell: Shell, levels: readonly Level[]): readonly string[] {
  if (shell === 'fish') return fishLines(levels);
  const cases = levels.map(({ words, next }) => `    "${words}") next="${next.join(' ')}" ;;`);
  const body = [
    '_hakopod() {',
    '  local words="" next="" word i',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    `    word="\${COMP_WORDS[i]}"`,
    `    [[ "$word" == -* ]] || words="\${words:+$words }$word"`,
    '  done',
    '  case "$words" in',
    ...cases,
    '  esac',
    `  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _hakopod hakopod',
  ];
  // zsh runs completions of bash as they are.
  return shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit', ...body] : body;
}

function fishLines(levels: readonly Level[]): readonly string[] {
  return levels.flatMap(({ words, next }) => {
    const typed =
      words === ''
        ? 'test (count (commandline -opc)) -eq 1'
        : `string match -q -- "hakopod ${words}*" (commandline -opc | string join " ")`;
    return next.map((word) =>
      word.startsWith('--')
        ? `complete -c hakopod -n '${typed}' -l ${word.slice(2)}`
        : `complete -c hakopod -f -n '${typed}' -a ${word}`,
    );
  });
}
