import type { EventDraft } from '../../contracts/event.ts';
import type { JudgedCheckout } from '../../ports/surroundings.ts';
import type { Snapshot } from '../../ports/workspace.ts';
import type { RunContext } from '../run-context.ts';

/** Paths named in a line for people; the policy summary has them all. */
const MAX_NAMED = 5;

/**
 * Where paths are protected, validators run in a checkout of their own with the judges as they were at the base, so
 * that nobody passes by editing them. The policy of the validation counts, and that of the agent whose work is looked
 * at. Null where nothing is protected, and validators run in the worktree itself.
 */
export async function openJudged(
  context: RunContext,
  policies: readonly string[],
  { tree }: Snapshot,
): Promise<JudgedCheckout | null> {
  const { deps, workspace } = context;
  const protectors = [policies, lastAgentPolicies(context)].flatMap(
    (refs) => deps.project.policy(refs).protects ?? [],
  );
  if (deps.surroundings === undefined || protectors.length === 0) return null;
  const protects = (path: string) => protectors.some((each) => each(path));
  return deps.surroundings.openJudged(workspace, { tree, protects });
}

/** Says at once, to whoever watches the run, that somebody reached for the judges. */
export function changedJudges(stepId: string, paths: readonly string[]): EventDraft[] {
  if (paths.length === 0) return [];
  const hidden = paths.length - MAX_NAMED;
  const named = paths.slice(0, MAX_NAMED).join(', ');
  const note = `protected paths were changed; validators of step "${stepId}" saw them as they were at the base: ${named}${hidden > 0 ? ` and ${hidden} more` : ''}`;
  return [{ event_type: 'status_updated', step_id: stepId, payload: { note } }];
}

export function judgedNotes(judged: JudgedCheckout | null): string[] {
  return judged === null
    ? []
    : ['validators ran in a checkout of their own, with the protected paths as they were at the base'];
}

function lastAgentPolicies({ plan, view }: RunContext): readonly string[] {
  const last = view().steps.findLast(({ opcode }) => opcode === 'RUN_AGENT');
  const step = plan.steps.find(({ id }) => id === last?.stepId);
  return step?.opcode === 'RUN_AGENT' ? step.policies : [];
}
