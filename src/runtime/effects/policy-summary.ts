import type { RecordedViolation } from '../../kernel/protocol.ts';
import type { ApprovalRequest } from '../../policy/changes.ts';
import type { AgentCapability } from '../../policy/enforcement.ts';
import type { AgentControls } from '../../ports/agent.ts';
import type { StepPolicy } from '../run-context.ts';

interface PolicyFindings {
  readonly violations?: readonly RecordedViolation[];
  /** Changed paths that need a user's approval. */
  readonly approvals?: readonly ApprovalRequest[];
  readonly notes: readonly string[];
  readonly capabilities?: readonly AgentCapability[];
  readonly controls?: AgentControls | undefined;
}

/** The requested and the effective policy, violations, approval requests, and notes about what is not enforced. */
export function policySummary(policy: StepPolicy, findings: PolicyFindings) {
  const { violations = [], approvals = [], notes, capabilities = [], controls } = findings;
  return {
    overrides: [],
    ...policy.summary,
    capabilities,
    ...(controls === undefined ? {} : { agent_controls: controls }),
    violations,
    approvals,
    notes: ['paths, operations and refs of the workspace are checked after the step', ...notes],
  };
}
