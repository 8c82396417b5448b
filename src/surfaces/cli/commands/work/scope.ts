import { findItem } from '../../../../app/work/find-item.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { executeAsUser } from '../../output/work/user-commands.ts';

export interface ScopeOptions {
  readonly add: readonly string[];
  readonly reason: string | null;
  readonly as: string | null;
}

/** Allows an item to change further paths, in the name of the user. */
export async function extendScope(
  context: CommandContext,
  itemRef: string,
  { add, reason, as }: ScopeOptions,
): Promise<ExitCode> {
  const example = 'conductor work scope 3 --add README.md --reason "it documents the option"';
  if (add.length === 0) throw new CliError('work scope needs the path to allow: --add PATH', example);
  if (reason === null || reason.trim() === '')
    throw new CliError('work scope needs the reason: --reason "…"', example);
  return executeAsUser(context, as, async ({ snapshot, execute }) => {
    const { item } = findItem(snapshot, itemRef);
    for (const path of add)
      await execute({ kind: 'extend_scope', itemId: item.id, path, reason: reason.trim() });
  });
}
