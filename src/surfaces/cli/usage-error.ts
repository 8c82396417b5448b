import type { Command, CommanderError } from 'commander';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { CliError } from './cli-error.ts';

/** Turns commander's error into one with a help line: the nearest spelling, or where the command is explained. */
export function describeUsage(
  { code, message }: CommanderError,
  program: Command,
  words: readonly string[],
): CliError {
  const { path, command } = findCommand(program, words);
  const help = isGroup(command) ? `${path} --help lists the commands` : `see ${path} --help`;
  if (code === 'commander.help') return new CliError(`${path} takes a command`, help);
  const [firstLine = '', ...more] = message.replace(/^error: /, '').split('\n');
  const near = /^\(Did you mean (.*)\?\)$/.exec(more.join(' '))?.[1];
  return new CliError(firstLine, near === undefined ? help : `did you mean ${near}?`);
}

/**
 * Rewrites `help COMMAND…` as `COMMAND… --help`, and refuses an unknown command, for which commander would print the
 * help of its parent and exit with success.
 */
export function expandHelp(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  const named = first === 'help' ? leadingNames(rest) : leadingNames(words);
  const asksForHelp = first === 'help' || words.includes('--help') || words.includes('-h');
  if (!asksForHelp || named.length === 0) return words;
  const { path, command, unknown } = findCommand(program, named);
  if (unknown !== null && isGroup(command)) {
    const near = didYouMean(
      unknown,
      command.commands.map((each) => each.name()),
    );
    const suggested = path.replace('conductor', first === 'help' ? 'conductor help' : 'conductor');
    throw new CliError(
      `unknown command '${unknown}'`,
      near === null ? `${path} --help lists the commands` : `did you mean ${suggested} ${near}?`,
    );
  }
  return first === 'help' ? [...rest, '--help'] : words;
}

function leadingNames(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith('-'));
  return end === -1 ? words : words.slice(0, end);
}

/** Whether a command only has subcommands, so that the next word must name one. */
function isGroup(command: Command): boolean {
  return command.commands.length > 0 && command.registeredArguments.length === 0;
}

interface FoundCommand {
  /** `conductor work plan`. */
  readonly path: string;
  readonly command: Command;
  /** The word after the command; null if there is none. */
  readonly unknown: string | null;
}

/** The command that the arguments name, as far as they name known ones. */
function findCommand(program: Command, words: readonly string[]): FoundCommand {
  let command = program;
  let path = program.name();
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const found = command.commands.find((each) => each.name() === word);
    if (found === undefined) return { path, command, unknown: word === 'help' ? null : word };
    command = found;
    path = `${path} ${word}`;
  }
  return { path, command, unknown: null };
}
