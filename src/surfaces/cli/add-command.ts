import type { Command } from 'commander';
import type { VerbContext } from './command-context.ts';
import type { ExitCode } from './exit-codes.ts';

/** Executes a verb with its positional arguments and options. */
export type Action = (
  context: VerbContext,
  args: string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;

/** Registers a verb, with the common options `--json` and `--repo`, its help and its dispatch. */
export type AddVerb = (usage: string, description: string, example: string, action: Action) => Command;

/** Registers a verb with actions: subcommands that each have their own help. */
export type VerbGroup = (name: string, description: string, example: string) => AddVerb;
