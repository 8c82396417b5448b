/** The public API. `test/pins` lists every export, so each addition is a deliberate change. */
export { agentResultFileSchema } from './contracts/agent-result.ts';
export { configDocumentSchema } from './contracts/config.ts';
export { type EventDraft, type RunEvent, runEventSchema } from './contracts/event.ts';
export { harnessReportSchema } from './contracts/harness-report.ts';
export { type PlannerDecision, plannerDecisionSchema } from './contracts/planner-decision.ts';
export { type PlannerInput, plannerInputSchema } from './contracts/planner-input.ts';
export { policyDocumentSchema } from './contracts/policy.ts';
export { promptFrontMatterSchema } from './contracts/prompt.ts';
export {
  type Manifest,
  type Metadata,
  manifestSchema,
  metadataSchema,
  type Status,
  statusSchema,
} from './contracts/run-files.ts';
export { workflowDocumentSchema } from './contracts/workflow-document.ts';
export type { Diagnostic } from './diagnostics/diagnostic.ts';
export { renderHuman } from './diagnostics/render-human.ts';
export { decide } from './kernel/decide.ts';
export { evolve } from './kernel/evolve.ts';
export type { Plan, PlanStep } from './kernel/plan.ts';
export type { Effect, KernelDecision, KernelInput } from './kernel/protocol.ts';
export { INITIAL_STATE, type RunState } from './kernel/state.ts';
export { parseEnvelope } from './planner/envelope.ts';
export { judge } from './planner/judge.ts';
export {
  type GateReply,
  type RunWorkflowOptions,
  type RunWorkflowResult,
  runWorkflow,
} from './wiring/library.ts';
export { type CheckedWorkflow, checkWorkflow } from './workflow/check-workflow.ts';
export type { CheckContext, KnownNames } from './workflow/rule.ts';
