/** The public API. `test/pins` lists every export, so each addition is a deliberate change. */

export { configDocumentSchema } from './contracts/config/config.ts';
export { policyDocumentSchema } from './contracts/documents/policy.ts';
export { promptFrontMatterSchema } from './contracts/documents/prompt.ts';
export { workflowDocumentSchema } from './contracts/documents/workflow-document.ts';
export { type PlannerDecision, plannerDecisionSchema } from './contracts/planner/planner-decision.ts';
export { type PlannerInput, plannerInputSchema } from './contracts/planner/planner-input.ts';
export { agentResultFileSchema } from './contracts/run/agent-result.ts';
export { type EventDraft, type RunEvent, runEventSchema } from './contracts/run/event.ts';
export { harnessReportSchema } from './contracts/run/harness-report.ts';
export {
  type Manifest,
  type Metadata,
  manifestSchema,
  metadataSchema,
  type Status,
  statusSchema,
} from './contracts/run/run-files.ts';
export type { Diagnostic } from './diagnostics/diagnostic.ts';
export { renderHuman } from './diagnostics/render-human.ts';
export { decide } from './kernel/decide.ts';
export { evolve } from './kernel/evolve.ts';
export type { Plan, PlanStep } from './kernel/plan.ts';
export type { Effect, KernelDecision, KernelInput } from './kernel/protocol.ts';
export { INITIAL_STATE, type RunState } from './kernel/state.ts';
export { parseEnvelope } from './planner/envelope.ts';
export { judge } from './planner/table/evaluate.ts';
export {
  type GateReply,
  type RunWorkflowOptions,
  type RunWorkflowResult,
  runWorkflow,
} from './wiring/library.ts';
export { type CheckedWorkflow, checkWorkflow } from './workflow/check-workflow.ts';
export type { CheckContext, KnownNames } from './workflow/rule.ts';
