import type { Violation } from '../../kernel/protocol.ts';
import type { AgentCapability } from '../../policy/enforcement.ts';
import type { AgentControls } from '../../ports/agent.ts';
import type { StepPolicy } from '../run-context.ts';

/** What was asked, what held, what was broken, and what nobody could enforce. */
export function policySummary(
  policy: StepPolicy,
  violations: readonly Violation[],
  notes: readonly string[],
  capabilities: readonly AgentCapability[] = [],
  controls?: AgentControls,
) {
  return {
    overrides: [],
    ...policy.summary,
    capabilities,
    ...(controls === undefined ? {} : { agent_controls: controls }),
    violations,
    notes: ['paths, operations, refs and what lies around the worktree are checked after the step', ...notes],
  };
}

export function movedNote(ref: string): string {
  return `${ref} was moved in another checkout or by a merge of a work item during the step`;
}
