import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { printJson, type VerbContext } from '../verb.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

interface VerbWords {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly string[];
  /** What the word after the verb can be. */
  readonly actions: readonly string[];
}

/** Made from the verbs themselves, so that it can't fall behind them. */
export function completion(context: VerbContext, shell: string, program: Command): ExitCode {
  const verbs = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: [...new Set([command, ...command.commands].flatMap(flagsOf)), '--no-input', '--help'],
    actions: command.commands.map((action) => action.name()),
  }));
  const script = scriptFor(shell, verbs);
  if (context.json) printJson(context, { shell, script });
  else context.terminal.out(script);
  return EXIT.success;
}

function flagsOf(command: Command): readonly string[] {
  return command.options.map((option) => option.long ?? '');
}

function scriptFor(shell: string, verbs: readonly VerbWords[]): string {
  switch (shell) {
    case 'bash':
      return bashScript(verbs);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(verbs)}`;
    case 'fish':
      return fishScript(verbs);
    default:
      throw new CliError(`no completion for "${shell}"`, `it is one of ${SHELLS.join(', ')}`);
  }
}

function bashScript(verbs: readonly VerbWords[]): string {
  const cases = verbs.map(
    ({ name, flags, actions }) => `    ${name}) words="${[...actions, ...flags].join(' ')}" ;;`,
  );
  return [
    '_conductor() {',
    '  local cur="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${verbs.map(({ name }) => name).join(' ')} --help --version"`,
    '  else case "${COMP_WORDS[1]}" in',
    ...cases,
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _conductor conductor tnh-conductor',
    '',
  ].join('\n');
}

function fishScript(verbs: readonly VerbWords[]): string {
  const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  return verbs
    .flatMap(({ name, description, flags, actions }) => [
      `complete -c conductor -n __fish_use_subcommand -a ${name} -d ${quote(description)}`,
      ...actions.map(
        (action) => `complete -c conductor -n '__fish_seen_subcommand_from ${name}' -a ${action}`,
      ),
      ...flags.map(
        (flag) =>
          `complete -c conductor -n '__fish_seen_subcommand_from ${name}' -l ${flag.replace(/^--/, '')}`,
      ),
    ])
    .join('\n')
    .concat('\n');
}
