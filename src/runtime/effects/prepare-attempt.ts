import type { StopCause } from '../../contracts/run/process-end.ts';
import type { ActiveStep } from '../../kernel/state.ts';
import type { Snapshot } from '../../ports/workspace/workspace.ts';
import { markOf, type RunContext } from '../run-context.ts';

export interface PreparedAttempt {
  readonly before: Snapshot;
  readonly mark: string;
}

/** Salvages and undoes the changes of a dead attempt at the step. */
export async function undoDeadAttempt(
  context: RunContext,
  entry: ActiveStep & { readonly restoreTo: string | null },
): Promise<void> {
  if (entry.restoreTo === null) return;
  const restored = await context.deps.workspace.restore(
    context.workspace,
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

/** Takes the snapshot to restore after a crash. It is recorded durably before any process starts. */
export async function prepareAttempt(
  context: RunContext,
  entry: ActiveStep,
  runner: { readonly family: string; readonly name: string },
): Promise<PreparedAttempt> {
  const { deps, workspace, directory } = context;
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

/** Records why a process of a step is being stopped, before it is: afterwards its end would be ambiguous. */
export function recordStop(
  context: RunContext,
  stepId: string,
  name: string,
): (cause: StopCause) => Promise<void> {
  return (cause) => {
    const note = `${name} of step "${stepId}" is being stopped: ${describeStop(cause)}`;
    const bound = cause.kind === 'bound' ? { bound: cause.bound } : {};
    return context.record([{ event_type: 'status_updated', step_id: stepId, payload: { note, ...bound } }]);
  };
}

function describeStop(cause: StopCause): string {
  switch (cause.kind) {
    case 'bound':
      return cause.message;
    case 'timeout':
      return 'it has not ended in time';
    case 'idle':
      return 'it has printed nothing for too long';
  }
}
