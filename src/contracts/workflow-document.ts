import * as z from 'zod';
import {
  durationSchema,
  formOf,
  mapping,
  NAME_PATTERN,
  reportSchema,
  STEP_ID_PATTERN,
  textSchema,
  validatorIdSchema,
} from './forms.ts';
import { COMPONENT_KINDS, EVAL_PROFILES, INTENTS, OPCODES } from './vocabulary.ts';

const target = z.string().describe('A step id, or STOP.');
const stepId = formOf('stepId', STEP_ID_PATTERN).describe('Names the step; unique without regard to case.');

const mechanicalRoutes = mapping({
  completed: target,
  error: target,
  killed_timeout: target.optional(),
  killed_idle: target.optional(),
  killed_policy: target.optional(),
}).describe('Where the run goes next, by outcome. A missing `killed_*` falls back to `error`.');

const plannerRoutes = mapping({
  success: target,
  partial: target,
  blocked: target.optional().describe('STOP where it is left out.'),
  unsafe: target.describe('A ROLLBACK step, or STOP.'),
  needs_human: target.describe('A GATE step, or STOP.'),
}).describe('Where the run goes next, by the status of the planner.');

const gateRoutes = mapping({
  gate_approved: target,
  gate_rejected: target,
  gate_timed_out: target.optional().describe('Required where `timeout` is set.'),
  killed_timeout: target.optional().describe('Stands in for `gate_timed_out`.'),
  error: target.optional(),
}).describe('Where the run goes next, by the answer.');

const limits = mapping({
  timeout: durationSchema.optional().describe('Wall clock of one entry of a step.'),
  idle_timeout: durationSchema.optional().describe('Time without output.'),
  max_visits: z.int().min(1).optional().describe('Entries of a step in one run.'),
  token_budget: z
    .int()
    .min(1)
    .optional()
    .describe('Tokens over the whole run, or over all entries of a step.'),
  cost_budget_usd: z.number().positive().optional().describe('US dollars, counted like the tokens.'),
}).describe('Bounds. Those of a step tighten those of the workflow.');

const validatorCommon = {
  id: validatorIdSchema.describe('Names the validator; unique within the step.'),
  artifacts: z.array(textSchema).optional().describe('Globs of the files to keep.'),
  timeout: durationSchema.optional().describe('Instead of the timeout of the step.'),
  report: reportSchema.optional(),
  may_propose_goldens: z.boolean().optional().describe('Whether its report can propose goldens.'),
  retries: z.int().min(0).optional().describe('How often a failure is tried again.'),
};

const builtinValidator = mapping({ ...validatorCommon, kind: z.literal('builtin') });

const scriptValidator = mapping({
  ...validatorCommon,
  kind: z.literal('script'),
  entrypoint: textSchema.describe('A path in the run directory or the worktree, or an allowed command.'),
  args: z.array(z.string()).optional(),
  cwd: textSchema.optional().describe('The worktree where it is left out.'),
});

const validatorEntry = z.union([
  validatorIdSchema.describe('A validator of the configuration.'),
  z.discriminatedUnion('kind', [builtinValidator, scriptValidator]),
]);

const stepCommon = {
  id: stepId,
  allow_unreachable: z.boolean().optional().describe('Keeps a step that nothing leads to.'),
};

const agentStep = mapping({
  ...stepCommon,
  opcode: z.literal('RUN_AGENT'),
  agent: textSchema.describe('An agent of the configuration.'),
  prompt: textSchema.describe('A reference, or text with white space in it.'),
  inputs: z.array(textSchema).optional(),
  policy: textSchema.optional(),
  intent: z.enum(INTENTS).optional().describe('What the step is for, where the prompt does not say.'),
  limits: limits.optional(),
  routes: mechanicalRoutes,
});

const validationStep = mapping({
  ...stepCommon,
  opcode: z.literal('RUN_VALIDATION'),
  run: z.array(validatorEntry).min(1),
  parallel: z.boolean().optional(),
  limits: limits.optional(),
  routes: mechanicalRoutes,
});

const revision = mapping({
  step: z.string().describe('The step that refines: the target of `partial`.'),
  max_attempts: z.int().min(1).max(3).optional().describe('1 where it is left out.'),
}).describe('How often the planner may send the work back.');

const evaluateStep = mapping({
  ...stepCommon,
  opcode: z.literal('EVALUATE'),
  prompt: textSchema,
  allowed_next_steps: z.array(target).min(1),
  revision: revision.optional(),
  limits: limits.optional(),
  routes: plannerRoutes,
});

const gateStep = mapping({
  ...stepCommon,
  opcode: z.literal('GATE'),
  gate: textSchema.describe('`requires_approval`, or another label.'),
  approvers: z.array(textSchema).optional().describe('Who may answer; anybody where it is left out.'),
  timeout: durationSchema.optional(),
  routes: gateRoutes,
});

const rollbackStep = mapping({
  ...stepCommon,
  opcode: z.literal('ROLLBACK'),
  target: z.enum(['pre_run', 'pre_step']),
  routes: mechanicalRoutes,
});

const stopStep = mapping({
  ...stepCommon,
  opcode: z.literal('STOP'),
  reason: z.string().optional(),
});

const step = z.discriminatedUnion('opcode', [
  agentStep,
  validationStep,
  evaluateStep,
  gateStep,
  rollbackStep,
  stopStep,
]);

const defaults = mapping({
  policy: textSchema.optional(),
  limits: limits.optional(),
  artifacts_dir: textSchema.optional().describe('Where the runs of this workflow are kept.'),
  component_kind: z.enum(COMPONENT_KINDS).optional(),
  eval_profile: z.enum(EVAL_PROFILES).optional(),
}).describe('What holds for every step.');

/** A workflow file, as written. */
export const workflowDocumentSchema = mapping({
  workflow_id: formOf('workflowId', NAME_PATTERN),
  version: z.int().min(1).describe("The author's own, recorded with each run."),
  description: z.string(),
  entry_step: z.string().describe('The id of the first step.'),
  defaults: defaults.optional(),
  steps: z.array(step).min(1),
});

export type WorkflowDocument = z.infer<typeof workflowDocumentSchema>;
export type StepDocument = z.infer<typeof step>;
export type LimitsDocument = z.infer<typeof limits>;
export type ValidatorDocument = z.infer<typeof validatorEntry>;

/** Which opcodes know a key, so that a key in the wrong place can be told from a misspelt one. */
export function opcodesWithKey(key: string): string[] {
  return OPCODES.filter((opcode) =>
    step.options.some((option) => option.shape.opcode.value === opcode && Object.hasOwn(option.shape, key)),
  );
}
