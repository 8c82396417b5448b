import type { RoleRunner, RoleState } from '../../ports/work/role-runner.ts';
import type { SpecFolder } from '../../ports/work/spec-folder.ts';
import type { WorkProvider } from '../../ports/work/work-provider.ts';
import { isDiskFull } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import { findForeignChanges, findSpecChanges } from '../../work/engine/foreign-changes.ts';
import type { EngineInput, RunToSee, SeenRun } from '../../work/engine/protocol.ts';
import type { CommandExecutor } from './command-executor.ts';

/** Appends changes of specs and, with `readsProvider`, of the provider to the journal. */
export async function recordExternalChanges(
  {
    specs,
    provider,
    executor,
  }: { readonly specs: SpecFolder; readonly provider: WorkProvider; readonly executor: CommandExecutor },
  readsProvider: boolean,
): Promise<EngineInput> {
  const reading = await specs.read();
  let problem: string | null = null;
  await executor.record(async (state) => {
    const changes = findSpecChanges(state, reading.specs);
    if (!readsProvider) return changes;
    try {
      return [...changes, ...findForeignChanges(state, await provider.read())];
    } catch (error) {
      problem = messageOf(error);
      return changes;
    }
  });
  return { kind: 'external_changes_recorded', readsProvider, problem };
}

export async function lookAtRuns(
  runner: Pick<RoleRunner, 'readState'>,
  runs: readonly RunToSee[],
): Promise<readonly SeenRun[]> {
  const seen: SeenRun[] = [];
  for (const { runId, subject } of runs) {
    const state = await runner.readState(runId, subject).catch((error: unknown): RoleState => {
      if (isDiskFull(error)) throw error;
      // A user has to fix an unreadable record; other runs continue.
      return { kind: 'waiting', reason: `the record of run ${runId} can't be read: ${messageOf(error)}` };
    });
    seen.push({ runId, state });
  }
  return seen;
}
