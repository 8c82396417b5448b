import type { Evidence } from '../evidence/evidence.ts';
import type { EffectResult } from '../run-context.ts';

/** Ends a step that started no process, so the files are unchanged. */
export async function endUnstarted(
  evidence: Evidence,
  outcome: 'error' | 'killed_policy',
  reason: string,
): Promise<EffectResult> {
  return {
    records: await evidence.close(outcome, reason),
    input: {
      kind: 'step_ended',
      outcome,
      changed: false,
      tree: null,
      validators: [],
      usage: null,
      reason,
      violations: [],
    },
  };
}
