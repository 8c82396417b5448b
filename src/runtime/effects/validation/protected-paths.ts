import type { EventDraft } from '../../../contracts/run/event.ts';
import { nameSome } from '../../../text/name-some.ts';
import type { RunContext } from '../../run-context.ts';

/** How many paths a note names; the policy summary lists them all. */
const MAX_NAMED = 5;

/**
 * The paths that validators see as at the base: those protected by the policies of the validation step and of the agent
 * whose work it checks.
 */
export function protectedPaths(context: RunContext, policies: readonly string[]): (path: string) => boolean {
  const protectors = [policies, lastAgentPolicies(context)].flatMap(
    (refs) => context.deps.project.policy(refs).protects ?? [],
  );
  return (path) => protectors.some((protects) => protects(path));
}

/** Reports in a status note, right after the step, that the change touches protected paths. */
export function noteRestoredPaths(stepId: string, paths: readonly string[]): EventDraft[] {
  if (paths.length === 0) return [];
  const note = `protected paths were changed; validators of step "${stepId}" saw them as at the base: ${nameSome(paths, MAX_NAMED)}`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}

function lastAgentPolicies({ plan, view }: RunContext): readonly string[] {
  const last = view().steps.findLast(({ opcode }) => opcode === 'RUN_AGENT');
  const step = plan.steps.find(({ id }) => id === last?.stepId);
  return step?.opcode === 'RUN_AGENT' ? step.policies : [];
}
