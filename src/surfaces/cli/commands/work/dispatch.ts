import { CliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { driveWork, endOfLoop, type WorkDriving, type WorkEnd } from '../../output/work/driving.ts';
import { expectAccepted, findItem } from '../../output/work/session.ts';

export interface DispatchOptions {
  readonly all: boolean;
  readonly jobs: number | null;
  readonly as: string | null;
}

const ROLES = ['implementor', 'reviewer'] as const;

/** Implements and reviews one item, or all that are ready, until no agent has anything left to do. */
export async function dispatch(
  context: CommandContext,
  itemRef: string | null,
  { all, jobs, as }: DispatchOptions,
): Promise<ExitCode> {
  if ((itemRef === null) !== all)
    throw new CliError(
      'work dispatch takes one item, or --all',
      'conductor work dispatch 3, or --all --jobs 4',
    );
  if (jobs === 0) throw new CliError('--jobs must be at least 1', 'omit it to use work.jobs');
  return driveWork(context, { jobs, as }, (driving) =>
    itemRef === null ? dispatchAll(driving) : dispatchOne(driving, itemRef),
  );
}

async function dispatchAll({ work, signal, onEvent, onProblem }: WorkDriving): Promise<WorkEnd> {
  const end = await work.engine.runUntilIdle(signal, { onEvent, onProblem, roles: ROLES });
  const snapshot = await work.engine.snapshot();
  if (snapshot.state.items.size === 0)
    return {
      code: EXIT.success,
      ok: true,
      reason: 'there are no work items',
      help: 'conductor work plan creates them from approved specs',
    };
  return endOfLoop(end, snapshot, [...snapshot.state.items.keys()], false);
}

/** An item that the user names is dispatched even if others are in progress. */
async function dispatchOne(
  { work, person, signal, onEvent, onProblem }: WorkDriving,
  itemRef: string,
): Promise<WorkEnd> {
  const { engine } = work;
  await engine.recover();
  const { item } = findItem(await engine.snapshot(), itemRef);
  if (item.status !== 'review')
    expectAccepted(await engine.dispatch(item.id, person, signal, { onEvent, onProblem }), item.id);
  const end = await engine.runUntilIdle(signal, { onEvent, onProblem, roles: ROLES, items: [item.id] });
  return endOfLoop(end, await engine.snapshot(), [item.id], true);
}
