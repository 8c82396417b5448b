import type { Command } from 'commander';
import { SCHEMA_NAMES } from '../../../../contracts/json-schemas.ts';
import { BODY_KINDS } from '../../../../work/bodies/body-template.ts';
import { CODES } from '../../../../workflow/diagnostic-codes.ts';
import { CliError } from '../../cli-error.ts';
import { printJson, type VerbContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { KINDS } from '../work/contract.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Verbs and actions that are followed by one of some words; all others take files or ids. */
const WORDS_AFTER: Readonly<Record<string, readonly string[]>> = {
  completion: SHELLS,
  'contract check': KINDS,
  explain: Object.keys(CODES),
  schema: SCHEMA_NAMES,
  vectors: ['record'],
  'work template': BODY_KINDS,
};

interface VerbWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly string[];
  /** What the word after the verb can be, with the flags that it has then. */
  readonly actions: readonly { readonly name: string; readonly flags: readonly string[] }[];
  /** Flags that are followed by a value, which is most often a file. */
  readonly valued: readonly string[];
}

/** Made from the verbs themselves, so that it can't fall behind them. */
export function completion(context: VerbContext, shell: string, program: Command): ExitCode {
  const verbs = program.commands.map((command) => wordsOf(command));
  const script = scriptFor(shell, verbs);
  if (context.json) printJson(context, { shell, script });
  else context.terminal.out(script);
  return EXIT.success;
}

function wordsOf(command: Command): VerbWords {
  const whole = [command, ...command.commands];
  return {
    name: command.name(),
    description: command.description(),
    flags: flagsOf(whole),
    actions: command.commands.map((action) => ({ name: action.name(), flags: flagsOf([action]) })),
    valued: whole.flatMap(({ options }) =>
      options.filter(({ required }) => required).map(({ long }) => long ?? ''),
    ),
  };
}

function flagsOf(commands: readonly Command[]): readonly string[] {
  const own = commands.flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return [...new Set([...own, '--no-input', '--help'])];
}

function scriptFor(shell: string, verbs: readonly VerbWords[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(verbs);
    case 'zsh':
      return [
        '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
        'autoload -U +X bashcompinit && bashcompinit',
        bashScript(verbs),
      ].join('\n');
    case 'fish':
      return ['conductor', 'tnh-conductor'].map((program) => fishScript(program, verbs)).join('');
    default:
      throw new CliError(`no completion for "${shell}"`, `it is one of ${SHELLS.join(', ')}`);
  }
}

/** The words that may follow the words so far. */
function wordsAfter(verbs: readonly VerbWords[]): readonly (readonly [string, readonly string[]])[] {
  const names = verbs.map(({ name }) => name);
  const actions = verbs.flatMap(({ name, actions: own }): [string, string[]][] =>
    own.length === 0 ? [] : [[name, own.map((action) => action.name)]],
  );
  return [['help', names], ...actions, ...Object.entries(WORDS_AFTER)];
}

/** Where nothing is offered the shell offers files. */
function bashScript(verbs: readonly VerbWords[]): string {
  const flags = verbs.map(({ name, flags: own }) => `    ${name}) words="${own.join(' ')}" ;;`);
  const actionFlags = verbs.flatMap(({ name, actions }) =>
    actions.map((action) => `    "${name} ${action.name}") words="${action.flags.join(' ')}" ;;`),
  );
  const after = wordsAfter(verbs).map(
    ([words, next]) => `    "${words.split(' ').length + 1} ${words}") words="${next.join(' ')}" ;;`,
  );
  const valued = [...new Set(verbs.flatMap((verb) => verb.valued))];
  return [
    '_conductor() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words=""',
    '  local verb="${COMP_WORDS[1]:-}" action="${COMP_WORDS[2]:-}"',
    '  COMPREPLY=()',
    '  case "$cur" in',
    '  -*)',
    '    if [ "$COMP_CWORD" -eq 1 ]; then words="--help --version"',
    '    else case "$verb" in',
    ...flags,
    '    esac; case "$verb $action" in',
    ...actionFlags,
    '    esac; fi ;;',
    '  *)',
    `    case "$prev" in ${valued.join('|')}) return ;; esac`,
    '    case "$COMP_CWORD" in',
    `    1) words="${['help', ...verbs.map(({ name }) => name)].join(' ')}" ;;`,
    '    2) action="" ;;',
    '    esac',
    '    case "$COMP_CWORD $verb${action:+ $action}" in',
    ...after,
    '    esac ;;',
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _conductor conductor tnh-conductor',
    '',
  ].join('\n');
}

function fishScript(program: string, verbs: readonly VerbWords[]): string {
  const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = verbs.flatMap(({ name, description, flags, valued }) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
    ...flags.map((flag) => {
      const value = valued.includes(flag) ? ' -r' : '';
      return `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag.replace(/^--/, '')}${value}`;
    }),
  ]);
  const after = wordsAfter(verbs).map(([words, next]) => {
    const seen = words
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    return `complete -c ${program} -n '${seen}' -a ${quote(next.join(' '))}`;
  });
  return `${[...lines, ...after].join('\n')}\n`;
}
