import type { Effect } from '../../kernel/protocol.ts';
import type { Restored } from '../../ports/workspace/workspace.ts';
import { openEvidence } from '../evidence/evidence.ts';
import { compareTrees } from '../evidence/workspace-evidence.ts';
import type { EffectResult, RunContext } from '../run-context.ts';

type RollbackEffect = Extract<Effect, { kind: 'roll_back' }>;

/** Rolls the checkout back. Its previous state is kept under a salvage ref, and the difference is evidence. */
export async function rollBack(context: RunContext, effect: RollbackEffect): Promise<EffectResult> {
  const { deps, directory, workspace } = context;
  const evidence = await openEvidence(directory, effect, deps.clock, deps.project.secrets);
  const restored = await restore(context, effect);
  if (typeof restored === 'string') return failRollback(await evidence.close('error', restored), restored);
  const undone = await compareTrees(
    deps.workspace,
    workspace,
    {
      base: context.view().started.base_tree,
      before: restored.before.tree,
      after: restored.after.tree,
    },
    `${evidence.path}/rollback.patch`,
  );
  await evidence.file('workspace_diff', `${evidence.path}/rollback.patch`);
  await evidence.json('workspace_status', 'workspace.json', {
    summary: undone.summary,
    fingerprint: undone.fingerprint,
    files: undone.diff.files,
    salvage_ref: restored.salvageRef,
  });
  const files = undone.diff.files.length;
  const records = await evidence.close(
    'completed',
    `rolled back to ${effect.target}, ${files} ${files === 1 ? 'file' : 'files'} restored`,
  );
  return {
    records: [
      ...records,
      {
        event_type: 'salvage_recorded',
        step_id: effect.stepId,
        payload: { ref: restored.salvageRef, commit: restored.before.commit, reason: 'rollback' },
      },
    ],
    input: {
      kind: 'rolled_back',
      rollback: {
        target: effect.target,
        commit: restored.after.commit,
        tree_before: restored.before.tree,
        tree_after: restored.after.tree,
        salvage_ref: restored.salvageRef,
      },
    },
  };
}

/** Returns the reason if it fails. */
async function restore(context: RunContext, effect: RollbackEffect): Promise<Restored | string> {
  try {
    return await context.deps.workspace.restore(
      context.workspace,
      effect.commit === null ? { kind: 'base' } : { kind: 'snapshot', commit: effect.commit },
      `${effect.stepId}@${effect.attempt}`,
    );
  } catch (error) {
    return `the rollback failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A rollback that failed halfway may have changed files. */
function failRollback(records: EffectResult['records'], reason: string): EffectResult {
  return {
    records,
    input: {
      kind: 'step_ended',
      outcome: 'error',
      changed: true,
      tree: null,
      validators: [],
      usage: null,
      reason,
      violations: [],
    },
  };
}
