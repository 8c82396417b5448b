import { findItem } from '../../../../app/work/find-item.ts';
import { WORK_STATUSES, type WorkStatus } from '../../../../contracts/work/work-item.ts';
import { didYouMean } from '../../../../diagnostics/did-you-mean.ts';
import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { executeAsUser } from '../../output/work/user-commands.ts';

export interface TransitionOptions {
  readonly reason: string | null;
  readonly as: string | null;
}

/** Moves an item to another status, if the status table allows it. */
export async function transition(
  context: CommandContext,
  itemRef: string,
  status: string,
  { reason, as }: TransitionOptions,
): Promise<ExitCode> {
  const to = expectStatus(status);
  return executeAsUser(context, as, async ({ snapshot, execute }) => {
    const { item } = findItem(snapshot, itemRef);
    await execute({
      kind: 'transition',
      itemId: item.id,
      to,
      reason: reason ?? 'moved by hand, without a reason',
    });
  });
}

function expectStatus(word: string): WorkStatus {
  const status = WORK_STATUSES.find((known) => known === word);
  if (status !== undefined) return status;
  const near = didYouMean(word, WORK_STATUSES);
  throw new CliError(
    `there is no status "${word}"`,
    near === null ? `it is one of ${WORK_STATUSES.join(', ')}` : `did you mean ${near}?`,
  );
}
