import type { EventDraft } from '../../contracts/event.ts';
import { isExpectedFailure } from '../../contracts/expected-failure.ts';
import type { OutsideChange } from '../../contracts/surroundings.ts';
import type { FileChange, RefState } from '../../contracts/workspace-change.ts';
import type { Violation } from '../../kernel/protocol.ts';
import { isRunBranch } from '../../policy/refs.ts';
import { describeOutside } from '../../policy/surroundings.ts';
import type { DisplacedFile, Observed } from '../../ports/surroundings.ts';
import type { Snapshot } from '../../ports/workspace.ts';
import type { Evidence } from '../evidence.ts';
import type { RunContext } from '../run-context.ts';
import { movedNote } from './policy-summary.ts';
import { StepFailure } from './step-failure.ts';

export interface CheckedStep {
  readonly found: readonly Violation[];
  /** What is told and not blamed on the step. */
  readonly notes: readonly string[];
  /** Old values of refs that were kept. */
  readonly records: readonly EventDraft[];
}

/** A step under watch: what was there before it is known. */
export interface WatchedStep {
  /** Comes first when the step's processes are gone: no git command may meet what they left in git's own files. */
  readonly settle: () => Promise<void>;
  /** Holds what the step did against its policy. */
  readonly check: (files: ChangedFiles) => Promise<CheckedStep>;
  /** Tells what the step did until it was interrupted: it is never judged, and what was put back would be forgotten. */
  readonly tellInterrupted: () => Promise<void>;
  /** Looks at the files the step left. Where that fails, everything else about the step is still held against it. */
  readonly examine: <T>(work: () => Promise<T>) => Promise<T>;
}

interface ChangedFiles {
  readonly changes: readonly FileChange[];
  /** Changes that only `forbidden_paths` is about. */
  readonly ignoredChanges: readonly FileChange[];
}

interface WatchedEntry {
  readonly stepId: string;
  readonly attempt: number;
  readonly policies: readonly string[];
  readonly before: Snapshot;
  readonly evidence: Evidence;
  /** Whether a sandbox holds the step. */
  readonly shutIn: boolean;
}

interface RefsAround {
  readonly refsBefore: RefState;
  readonly refsAfter: RefState;
  readonly movedElsewhere: readonly string[];
}

const NO_FILES: ChangedFiles = { changes: [], ignoredChanges: [] };
const NOTHING_SEEN: Observed = { outside: [], ignoredChanges: [], rewritten: [], pushed: [], salvaged: [] };

export async function watchStep(context: RunContext, entry: WatchedEntry): Promise<WatchedStep> {
  const { deps, workspace } = context;
  const policy = deps.project.policy(entry.policies);
  const refsBefore = await deps.workspace.refs(workspace);
  const watch = await deps.surroundings?.watch({
    workspace,
    before: entry.before,
    evidenceDir: entry.evidence.path,
    shutIn: entry.shutIn,
    forbids: policy.forbids ?? (() => false),
  });
  let settled: readonly OutsideChange[] = [];
  const judge = (seen: Observed, files: ChangedFiles, refs: RefsAround) =>
    policy.check({
      ...refs,
      changes: files.changes,
      ignoredChanges: [...files.ignoredChanges, ...seen.ignoredChanges],
      ownBranch: workspace.branchName,
      defaultBranches: watch?.defaultBranches ?? [],
      rewritten: seen.rewritten,
      pushed: seen.pushed,
      outside: [...settled, ...seen.outside],
    });
  const check = async (files: ChangedFiles): Promise<CheckedStep> => {
    const refsAfter = await deps.workspace.refs(workspace);
    const movedElsewhere = await deps.workspace.movedElsewhere(refsBefore, refsAfter);
    const seen =
      (await watch?.compare({
        refsBefore,
        refsAfter,
        changes: files.changes,
        excused: [...movedElsewhere, ...Object.keys(refsBefore.refs).filter(isRunBranch)],
        entry: `${entry.stepId}@${entry.attempt}`,
      })) ?? NOTHING_SEEN;
    const excused = [...settled, ...seen.outside].filter(({ excuse }) => excuse !== null);
    return {
      found: judge(seen, files, { refsBefore, refsAfter, movedElsewhere }),
      notes: [...movedElsewhere.map(movedNote), ...excused.map(describeOutside)],
      records: seen.salvaged.map((salvage) => salvageRecord(entry.stepId, salvage)),
    };
  };
  /** Git may be of no use any more; what was settled was seen without it. */
  const blame = async (failure: Error): Promise<never> => {
    const refs = { refsBefore, refsAfter: refsBefore, movedElsewhere: [] };
    const violations = await check(NO_FILES).then(
      async ({ found, records }) => {
        await context.record(records);
        return found;
      },
      () => judge(NOTHING_SEEN, NO_FILES, refs),
    );
    throw new StepFailure(failure.message, violations, failure);
  };
  return {
    check,
    tellInterrupted: async () => {
      const { found, records } = await check(NO_FILES).catch((error: unknown): CheckedStep => {
        if (!isExpectedFailure(error)) throw error;
        const refs = { refsBefore, refsAfter: refsBefore, movedElsewhere: [] };
        return { found: judge(NOTHING_SEEN, NO_FILES, refs), notes: [], records: [] };
      });
      const notes = found.map(({ message }) => interruptedNote(entry.stepId, message));
      if (records.length + notes.length > 0) await context.record([...records, ...notes]);
    },
    examine: async (work) => {
      try {
        return await work();
      } catch (error) {
        if (!isExpectedFailure(error)) throw error;
        return blame(error);
      }
    },
    settle: async () => {
      const found = await watch?.settle();
      if (found === undefined) return;
      settled = found.changes;
      await keepDisplaced(entry.evidence, found.displaced);
      if (!found.worktreeGone) return;
      // Otherwise no later step, not even a rollback, would have anything to work on.
      await deps.workspace.reopen(workspace, entry.before.tree);
      await blame(new Error('the worktree was gone after the step; it is as it was before again'));
    },
  };
}

/** What a step made of git's own files, for people to look at. */
async function keepDisplaced(evidence: Evidence, displaced: readonly DisplacedFile[]): Promise<void> {
  for (const [index, { path, content }] of displaced.entries()) {
    const name = path.replace(/[^A-Za-z0-9._-]+/g, '-');
    await evidence.text(
      'displaced_git_file',
      `git-${index + 1}-${name}.txt`,
      new TextDecoder().decode(content),
    );
  }
}

function interruptedNote(stepId: string, message: string): EventDraft {
  const note = `step "${stepId}" was interrupted: ${message}`;
  return { event_type: 'status_updated', step_id: stepId, payload: { note } };
}

function salvageRecord(
  stepId: string,
  { ref, commit }: { readonly ref: string; readonly commit: string },
): EventDraft {
  return { event_type: 'salvage_recorded', step_id: stepId, payload: { ref, commit, reason: 'moved_ref' } };
}
