/** The public API. `test/pins` lists every export, so each addition is a deliberate change. */

import { readFile } from 'node:fs/promises';
import {
  type RunWorkflowOptions,
  type RunWorkflowResult,
  runWorkflow as run,
} from './app/drive/run-workflow.ts';
import { packageVersion } from './package-root.ts';
import { createServices } from './wiring.ts';

export type { GateReply, RunWorkflowOptions, RunWorkflowResult } from './app/drive/run-workflow.ts';
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
export { evaluate as judge } from './planner/table/evaluate.ts';
export { type CheckedWorkflow, checkWorkflow } from './workflow/check-workflow.ts';
export type { CheckContext, KnownNames } from './workflow/rule.ts';

/** Checks a workflow and runs it, as `conductor run` does, but asks no questions. */
export function runWorkflow(options: RunWorkflowOptions): Promise<RunWorkflowResult> {
  return run({ ...createServices(packageVersion()), readFile: (path) => readFile(path) }, options);
}
