import type { Entry } from '../../kernel/state.ts';
import type { Snapshot } from '../../ports/workspace.ts';
import { markOf, type RunContext } from '../run-context.ts';

export interface PreparedEntry {
  readonly before: Snapshot;
  readonly mark: string;
}

/**
 * Before a step that can change files: what a dead attempt changed is salvaged and undone, and the state to
 * come back to is kept. Durable before anything is started.
 */
export async function prepareEntry(
  context: RunContext,
  entry: Entry & { readonly restoreTo: string | null },
  runner: { readonly family: string; readonly name: string },
): Promise<PreparedEntry> {
  const { deps, workspace, directory } = context;
  if (entry.restoreTo !== null) {
    const restored = await deps.workspace.restore(
      workspace,
      { kind: 'snapshot', commit: entry.restoreTo },
      `${entry.stepId}@${entry.attempt - 1}`,
    );
    await context.record([
      {
        event_type: 'salvage_recorded',
        step_id: entry.stepId,
        payload: { ref: restored.salvageRef, commit: restored.before.commit, reason: 'recovery' },
      },
    ]);
  }
  const before = await deps.workspace.snapshot(workspace, `${entry.stepId}@${entry.attempt}`);
  const mark = markOf(directory.runId, entry.stepId, entry.attempt);
  await context.record([
    {
      event_type: 'runner_started',
      step_id: entry.stepId,
      payload: { ...runner, attempt: entry.attempt, mark, snapshot: before },
    },
  ]);
  return { before, mark };
}
