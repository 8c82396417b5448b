import type { Violation } from '../../kernel/protocol.ts';
import type { AgentCapability } from '../../policy/enforcement.ts';
import type { AgentControls } from '../../ports/agent.ts';
import type { StepPolicy } from '../run-context.ts';

/** What was requested, what was in force, what was violated, and what nothing here can enforce. */
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
    notes: ['paths, operations and refs of the workspace are checked after the step', ...notes],
  };
}
