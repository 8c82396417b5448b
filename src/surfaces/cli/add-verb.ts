import type { Command } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { VerbContext } from './verb.ts';

/** What a verb does with its words and flags. */
export type Action = (
  context: VerbContext,
  args: string[],
  options: Readonly<Record<string, unknown>>,
) => Promise<ExitCode>;

/** Registers a verb: `--json`, `--repo`, help and dispatch come with it. */
export type AddVerb = (usage: string, description: string, example: string, action: Action) => Command;

/** Registers a verb whose actions are commands of their own, with help of their own. */
export type VerbGroup = (name: string, description: string, example: string) => AddVerb;
