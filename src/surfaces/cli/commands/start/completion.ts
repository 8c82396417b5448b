import type { Command } from 'commander';
import { CONTRACT_KINDS } from '../../../../app/work/check-contract.ts';
import { SCHEMA_NAMES } from '../../../../contracts/json-schemas.ts';
import { BODY_KINDS } from '../../../../work/bodies/body-template.ts';
import { CODES } from '../../../../workflow/diagnostic-codes.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The values of the first argument, for the commands that don't take a file or an id. */
const ARGUMENT_VALUES: Readonly<Record<string, readonly string[]>> = {
  completion: SHELLS,
  'contract check': CONTRACT_KINDS,
  explain: Object.keys(CODES),
  schema: SCHEMA_NAMES,
  'work template': BODY_KINDS,
};

interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly string[];
  readonly subcommands: readonly { readonly name: string; readonly flags: readonly string[] }[];
  /** Flags with a value, which is most often a file. */
  readonly valued: readonly string[];
}

/** Derived from the registered commands, so that the script can't become stale. */
export function completion(context: VerbContext, shell: string, program: Command): ExitCode {
  const commands = program.commands.map(describeCommand);
  const script = renderScript(shell, commands);
  if (context.json) printJson(context, { shell, script });
  else context.terminal.out(script);
  return EXIT.success;
}

function describeCommand(command: Command): CompletedCommand {
  const whole = [command, ...command.commands];
  return {
    name: command.name(),
    description: command.description(),
    flags: flagsOf(whole),
    subcommands: command.commands.map((each) => ({ name: each.name(), flags: flagsOf([each]) })),
    valued: whole.flatMap(({ options }) =>
      options.filter(({ required }) => required).map(({ long }) => long ?? ''),
    ),
  };
}

function flagsOf(commands: readonly Command[]): readonly string[] {
  const own = commands.flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return [...new Set([...own, '--no-input', '--help'])];
}

function renderScript(shell: string, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case 'bash':
      return renderBash(commands);
    case 'zsh':
      return [
        '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
        'autoload -U +X bashcompinit && bashcompinit',
        renderBash(commands),
      ].join('\n');
    case 'fish':
      return ['conductor', 'tnh-conductor'].map((program) => renderFish(program, commands)).join('');
    default:
      throw new CliError(`no completion for "${shell}"`, `it is one of ${SHELLS.join(', ')}`);
  }
}

/** The words that may follow the words typed so far. */
function listFollowers(
  commands: readonly CompletedCommand[],
): readonly (readonly [string, readonly string[]])[] {
  const names = commands.map(({ name }) => name);
  const below = commands.flatMap(({ name, subcommands }): [string, string[]][] =>
    subcommands.length === 0 ? [] : [[name, subcommands.map((each) => each.name)]],
  );
  return [['help', names], ...below, ...Object.entries(ARGUMENT_VALUES)];
}

/** Without a match, the shell itself completes file names (`-o default`). */
function renderBash(commands: readonly CompletedCommand[]): string {
  const flags = commands.map(({ name, flags: own }) => `    ${name}) words="${own.join(' ')}" ;;`);
  const subcommandFlags = commands.flatMap(({ name, subcommands }) =>
    subcommands.map((each) => `    "${name} ${each.name}") words="${each.flags.join(' ')}" ;;`),
  );
  const after = listFollowers(commands).map(
    ([words, next]) => `    "${words.split(' ').length + 1} ${words}") words="${next.join(' ')}" ;;`,
  );
  const valued = [...new Set(commands.flatMap(({ valued }) => valued))];
  return [
    '_conductor() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  local command="${COMP_WORDS[1]:-}" subcommand="${COMP_WORDS[2]:-}"',
    '  COMPREPLY=()',
    '  case "$cur" in',
    '  -*)',
    '    if [ "$COMP_CWORD" -eq 1 ]; then words="--help --version"',
    '    else case "$command" in',
    ...flags,
    '    esac; case "$command $subcommand" in',
    ...subcommandFlags,
    '    esac; fi ;;',
    '  *)',
    `    case "$prev" in ${valued.join('|')}) return ;; esac`,
    '    case "$COMP_CWORD" in',
    `    1) words="${['help', ...commands.map(({ name }) => name)].join(' ')}" ;;`,
    '    2) subcommand="" ;;',
    '    esac',
    '    case "$COMP_CWORD $command${subcommand:+ $subcommand}" in',
    ...after,
    '    esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _conductor conductor tnh-conductor',
    '',
  ].join('\n');
}

function renderFish(program: string, commands: readonly CompletedCommand[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, description, flags, valued }) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
    ...flags.map((flag) => {
      const value = valued.includes(flag) ? ' -r' : '';
      return `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag.replace(/^--/, '')}${value}`;
    }),
  ]);
  const after = listFollowers(commands).map(([words, next]) => {
    const seen = words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    return `complete -c ${program} -n '${seen}' -a ${quote(next.join(' '))}`;
  });
  return `${[...lines, ...after].join('\n')}\n`;
}
