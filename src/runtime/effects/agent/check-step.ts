import { isExpectedFailure } from '../../../contracts/expected-failure.ts';
import type { EventDraft } from '../../../contracts/run/event.ts';
import type { FileChange, HiddenChange, Notice } from '../../../contracts/run/workspace-change.ts';
import type { RecordedViolation } from '../../../kernel/protocol.ts';
import type { StepTraces } from '../../../ports/workspace/step-watch.ts';
import type { Snapshot } from '../../../ports/workspace/workspace.ts';
import type { RunContext } from '../../run-context.ts';
import { StepFailure } from '../step-failure.ts';

export interface CheckedStep {
  readonly found: readonly RecordedViolation[];
  /** Notices, and refs that were salvaged. */
  readonly records: readonly EventDraft[];
}

/** An agent step that is being watched; the state before it is known. */
export interface WatchedStep {
  /** Restores the workspace's git folder. Must be called first, once the step's processes are gone. */
  readonly settle: () => Promise<void>;
  /** Checks the step's changes against its policy. */
  readonly check: (changes: readonly FileChange[]) => Promise<CheckedStep>;
  /** Records what an interrupted step did: no evaluation follows, so what was restored would be lost otherwise. */
  readonly reportInterrupted: () => Promise<void>;
  /** Inspects the files that the step left. If that fails, known violations still count for the step. */
  readonly examine: <T>(work: () => Promise<T>) => Promise<T>;
}

interface WatchedEntry {
  readonly stepId: string;
  readonly policies: readonly string[];
  readonly before: Snapshot;
  readonly sandboxed: boolean;
}

export async function watchStep(context: RunContext, entry: WatchedEntry): Promise<WatchedStep> {
  const { deps, workspace } = context;
  const policy = deps.project.policy(entry.policies);
  const watch = await deps.watcher?.watch({
    workspace,
    stepId: entry.stepId,
    sandboxed: entry.sandboxed,
    forbids: policy.forbids ?? (() => false),
  });
  const ownHead = { refs: {}, head: `refs/heads/${workspace.branchName}` };
  const noTraces: StepTraces = {
    hidden: [],
    ignoredChanges: [],
    refsBefore: ownHead,
    refsAfter: ownHead,
    rewritten: [],
    salvaged: [],
    notices: [],
  };
  let settled: readonly HiddenChange[] = [];
  const applyPolicy = (traces: StepTraces, changes: readonly FileChange[]) =>
    policy.check({
      changes,
      ignoredChanges: traces.ignoredChanges,
      refsBefore: traces.refsBefore,
      refsAfter: traces.refsAfter,
      ownBranch: workspace.branchName,
      rewritten: traces.rewritten,
      hidden: [...settled, ...traces.hidden],
    });
  const check = async (changes: readonly FileChange[]): Promise<CheckedStep> => {
    const traces = (await watch?.compare(changes)) ?? noTraces;
    return {
      found: applyPolicy(traces, changes),
      records: [
        ...traces.notices.map((notice) => noticeRecord(entry.stepId, notice)),
        ...traces.salvaged.map((salvage) => salvageRecord(entry.stepId, salvage)),
      ],
    };
  };
  /** Git may be unusable by now; `settled` was determined without it. */
  const checkWithoutFiles = () =>
    check([]).catch((error: unknown): CheckedStep => {
      if (!isExpectedFailure(error)) throw error;
      return { found: applyPolicy(noTraces, []), records: [] };
    });
  const fail = async (failure: Error): Promise<never> => {
    const { found, records } = await checkWithoutFiles();
    await context.record(records);
    throw new StepFailure(failure.message, found, failure);
  };
  return {
    check,
    reportInterrupted: async () => {
      const { found, records } = await checkWithoutFiles();
      await context.record([
        ...records,
        ...found.map(({ message }) => noteInterrupted(entry.stepId, message)),
      ]);
    },
    examine: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isExpectedFailure(error)) throw error;
        return fail(error);
      }
    },
    settle: async () => {
      const found = await watch?.settle();
      if (found === undefined) return;
      settled = found.changes;
      if (!found.checkoutGone) return;
      // Without a workspace, no later step, not even a rollback, could work.
      await deps.workspace.reopen(workspace, entry.before.tree);
      await fail(
        new Error('the step deleted its workspace; conductor restored it as it was before the step'),
      );
    },
  };
}

export function noticeRecord(stepId: string | null, notice: Notice): EventDraft {
  const { kind, subject, old, new: now, message, salvageRef } = notice;
  return {
    event_type: 'notice_recorded',
    step_id: stepId,
    payload: { kind, subject, old, new: now, message, salvage_ref: salvageRef },
  };
}

function noteInterrupted(stepId: string, message: string): EventDraft {
  const note = `step "${stepId}" was interrupted: ${message}`;
  return { event_type: 'status_updated', step_id: stepId, payload: { note } };
}

function salvageRecord(
  stepId: string,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): EventDraft {
  return { event_type: 'salvage_recorded', step_id: stepId, payload: { ref, commit, reason: 'moved_ref' } };
}
