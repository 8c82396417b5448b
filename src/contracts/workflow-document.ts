import * as z from 'zod/mini';
import {
  described,
  durationSchema,
  formOf,
  mapping,
  NAME_PATTERN,
  reportSchema,
  STEP_ID_PATTERN,
  text,
  textSchema,
  validatorId,
  wholeNumber,
} from './forms.ts';
import { COMPONENT_KINDS, EVAL_PROFILES, INTENTS, OPCODES } from './vocabulary.ts';

const target = described(z.string(), 'A step id, or STOP.');
const stepId = described(formOf('stepId', STEP_ID_PATTERN), 'Names the step; unique without regard to case.');

const mechanicalRoutes = mapping(
  {
    completed: target,
    error: target,
    killed_timeout: z.optional(target),
    killed_idle: z.optional(target),
    killed_policy: z.optional(target),
  },
  'Where the run goes next, by outcome. A missing `killed_*` falls back to `error`.',
);

const plannerRoutes = mapping(
  {
    success: target,
    partial: target,
    blocked: described(z.optional(target), 'STOP where it is left out.'),
    unsafe: described(z.string(), 'A ROLLBACK step, or STOP.'),
    needs_human: described(z.string(), 'A GATE step, or STOP.'),
  },
  'Where the run goes next, by the status of the planner.',
);

const gateRoutes = mapping(
  {
    gate_approved: target,
    gate_rejected: target,
    gate_timed_out: described(z.optional(target), 'Required where `timeout` is set.'),
    killed_timeout: described(z.optional(target), 'Stands in for `gate_timed_out`.'),
    error: z.optional(target),
  },
  'Where the run goes next, by the answer.',
);

const limits = mapping(
  {
    timeout: described(z.optional(durationSchema), 'Wall clock of one entry of a step.'),
    idle_timeout: described(z.optional(durationSchema), 'Time without output.'),
    max_visits: described(z.optional(wholeNumber(1)), 'Entries of a step in one run.'),
    token_budget: described(
      z.optional(wholeNumber(1)),
      'Tokens over the whole run, or over all entries of a step.',
    ),
    cost_budget_usd: described(
      z.optional(z.number().check(z.positive())),
      'US dollars, counted like the tokens.',
    ),
  },
  'Bounds. Those of a step tighten those of the workflow.',
);

const validatorCommon = {
  id: described(validatorId(), 'Names the validator; unique within the step.'),
  artifacts: described(z.optional(z.array(textSchema)), 'Globs of the files to keep.'),
  timeout: described(z.optional(durationSchema), 'Instead of the timeout of the step.'),
  report: z.optional(reportSchema),
  may_propose_goldens: described(z.optional(z.boolean()), 'Whether its report can propose goldens.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is tried again.'),
};

const builtinValidator = mapping({ ...validatorCommon, kind: z.literal('builtin') });

const scriptValidator = mapping({
  ...validatorCommon,
  kind: z.literal('script'),
  entrypoint: described(text(), 'A path in the run directory or the worktree, or an allowed command.'),
  args: z.optional(z.array(z.string())),
  cwd: described(z.optional(textSchema), 'The worktree where it is left out.'),
});

const validatorEntry = z.union([
  described(validatorId(), 'A validator of the configuration.'),
  z.discriminatedUnion('kind', [builtinValidator, scriptValidator]),
]);

const stepCommon = {
  id: stepId,
  allow_unreachable: described(z.optional(z.boolean()), 'Keeps a step that nothing leads to.'),
};

const agentStep = mapping({
  ...stepCommon,
  opcode: z.literal('RUN_AGENT'),
  agent: described(text(), 'An agent of the configuration.'),
  prompt: described(text(), 'A reference, or text with white space in it.'),
  inputs: z.optional(z.array(textSchema)),
  policy: z.optional(textSchema),
  intent: described(z.optional(z.enum(INTENTS)), 'What the step is for, where the prompt does not say.'),
  limits: z.optional(limits),
  routes: mechanicalRoutes,
});

const validationStep = mapping({
  ...stepCommon,
  opcode: z.literal('RUN_VALIDATION'),
  run: z.array(validatorEntry).check(z.minLength(1)),
  parallel: z.optional(z.boolean()),
  limits: z.optional(limits),
  routes: mechanicalRoutes,
});

const revision = mapping(
  {
    step: described(z.string(), 'The step that refines: the target of `partial`.'),
    max_attempts: described(z.optional(z.int().check(z.minimum(1), z.maximum(3))), '1 where it is left out.'),
  },
  'How often the planner may send the work back.',
);

const evaluateStep = mapping({
  ...stepCommon,
  opcode: z.literal('EVALUATE'),
  prompt: textSchema,
  allowed_next_steps: z.array(target).check(z.minLength(1)),
  revision: z.optional(revision),
  limits: z.optional(limits),
  routes: plannerRoutes,
});

const gateStep = mapping({
  ...stepCommon,
  opcode: z.literal('GATE'),
  gate: described(text(), '`requires_approval`, or another label.'),
  approvers: described(z.optional(z.array(textSchema)), 'Who may answer; anybody where it is left out.'),
  timeout: z.optional(durationSchema),
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
  reason: z.optional(z.string()),
});

const step = z.discriminatedUnion('opcode', [
  agentStep,
  validationStep,
  evaluateStep,
  gateStep,
  rollbackStep,
  stopStep,
]);

const defaults = mapping(
  {
    policy: z.optional(textSchema),
    limits: z.optional(limits),
    artifacts_dir: described(z.optional(textSchema), 'Where the runs of this workflow are kept.'),
    component_kind: z.optional(z.enum(COMPONENT_KINDS)),
    eval_profile: z.optional(z.enum(EVAL_PROFILES)),
  },
  'What holds for every step.',
);

/** A workflow file, as written. */
export const workflowDocumentSchema = mapping({
  workflow_id: formOf('workflowId', NAME_PATTERN),
  version: described(wholeNumber(1), "The author's own, recorded with each run."),
  description: z.string(),
  entry_step: described(z.string(), 'The id of the first step.'),
  defaults: z.optional(defaults),
  steps: z.array(step).check(z.minLength(1)),
});

export type WorkflowDocument = z.infer<typeof workflowDocumentSchema>;
export type StepDocument = z.infer<typeof step>;
export type LimitsDocument = z.infer<typeof limits>;
export type ValidatorDocument = z.infer<typeof validatorEntry>;

const stepSchemas = {
  RUN_AGENT: agentStep,
  RUN_VALIDATION: validationStep,
  EVALUATE: evaluateStep,
  GATE: gateStep,
  ROLLBACK: rollbackStep,
  STOP: stopStep,
};

/** Which opcodes know a key, so that a key in the wrong place can be told from a misspelt one. */
export function opcodesWithKey(key: string): string[] {
  return OPCODES.filter((opcode) => Object.hasOwn(stepSchemas[opcode].shape, key));
}
