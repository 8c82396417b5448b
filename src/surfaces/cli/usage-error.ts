import type { Command, CommanderError } from 'commander';
import { didYouMean } from '../../diagnostics/did-you-mean.ts';
import { CliError } from './cli-error.ts';

/** A usage error for `--json`; commander has already printed it on standard error. */
export function describeUsage(
  { code, message }: CommanderError,
  program: Command,
  words: readonly string[],
): { readonly message: string; readonly help: string } {
  const verb = findVerb(program, words);
  const help = `conductor ${verb === '' ? '' : `${verb} `}--help shows how it is used`;
  if (code === 'commander.help') return { message: `conductor ${verb}`.trim().concat(' takes a verb'), help };
  const [firstLine = '', ...more] = message.replace(/^error: /, '').split('\n');
  const near = /^\((Did you mean .*)\)$/.exec(more.join(' '))?.[1];
  return { message: firstLine, help: near === undefined ? help : near.replace(/^D/, 'd') };
}

/** Rewrites `help VERB ACTION`, and refuses an unknown verb, for which commander would print the general help. */
export function expandHelp(program: Command, words: readonly string[]): readonly string[] {
  const [first, verb, ...more] = words;
  if (first !== 'help' || verb === undefined || verb.startsWith('-')) return words;
  const known = program.commands.map((command) => command.name());
  if (!known.includes(verb)) {
    const near = didYouMean(verb, known);
    throw new CliError(
      `unknown command '${verb}'`,
      near === null ? 'conductor --help lists the verbs' : `did you mean conductor help ${near}?`,
    );
  }
  return more.length === 0 ? words : [verb, 'help', ...more];
}

/** The verb and its action, as far as the arguments name known ones. */
function findVerb(program: Command, words: readonly string[]): string {
  const named = words.filter((word) => !word.startsWith('-'));
  const found: string[] = [];
  let { commands } = program;
  for (const word of named) {
    const command = commands.find((each) => each.name() === word);
    if (command === undefined) break;
    found.push(word);
    ({ commands } = command);
  }
  return found.join(' ');
}
