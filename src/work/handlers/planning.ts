import type { Spec } from '../../contracts/work/work-item.ts';
import { ENGINE } from '../command.ts';
import { approvedSpecs, FAILURE_LIMIT, plannerRun, specsKey, type WorkState } from '../state.ts';
import type { Handler } from './handler.ts';

/** If an approved spec changed since it was planned, requests one run with all approved specs. */
export const handlePlanning: Handler = (event, state, limits) => {
  const concerns = event.type === 'looked' || event.type === 'specs_seen' || event.type === 'run_ended';
  if (!concerns || limits.startsPlanner || plannerRun(state) !== null) return [];
  const specs = approvedSpecs(state);
  const failures = planFailures(state, specs);
  if (unplannedSpecs(state).length === 0 || failures.length >= FAILURE_LIMIT) return [];
  return [
    {
      key: `request/planner/${failures.length}/${specsKey(specs)}`,
      by: ENGINE,
      command: { kind: 'request_planner_run', specs },
    },
  ];
};

export function unplannedSpecs(state: WorkState): readonly Spec[] {
  return approvedSpecs(state).filter((spec) => state.planned.get(spec.filePath) !== spec.blobSHA);
}

/** Why planning has stopped, for users; null if it has not. */
export function planningStopped(state: WorkState): string | null {
  const failures = planFailures(state, approvedSpecs(state));
  if (failures.length < FAILURE_LIMIT || unplannedSpecs(state).length === 0) return null;
  return `the planner failed ${failures.length} times in a row with these specs: ${failures.at(-1)}`;
}

function planFailures(state: WorkState, specs: readonly Spec[]): readonly string[] {
  return state.planFailures.specs === specsKey(specs) ? state.planFailures.reasons : [];
}
