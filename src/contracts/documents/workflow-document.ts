import * as z from 'zod/mini';
import {
  defineForm,
  described,
  durationSchema,
  mapping,
  NAME_PATTERN,
  reportSchema,
  STEP_ID_PATTERN,
  text,
  textSchema,
  validatorId,
  wholeNumber,
} from '../forms.ts';
import { COMPONENT_KINDS, EVAL_PROFILES, INTENTS, OPCODES } from '../vocabulary.ts';

/** Creates a new schema for each use, because the description differs by route. */
function target(when: string) {
  return described(z.string(), `${when}: a step id, or STOP.`);
}

const stepId = described(
  defineForm('stepId', STEP_ID_PATTERN),
  'The id of the step; unique regardless of case.',
);

const mechanicalRoutes = mapping(
  {
    completed: target('The step completed'),
    error: target('The step failed'),
    killed_timeout: z.optional(target('The step exceeded its timeout')),
    killed_idle: z.optional(target('The step printed nothing for too long')),
    killed_policy: z.optional(target('The step violated a policy')),
  },
  'The next step for each outcome. A missing `killed_*` falls back to `error`.',
);

const plannerRoutes = mapping(
  {
    success: target('The evidence shows that the work is done'),
    partial: target('Something can still be fixed'),
    blocked: described(
      z.optional(z.string()),
      'The work cannot continue: a step id, or STOP. Default: STOP.',
    ),
    unsafe: described(z.string(), 'The result must not be kept: a ROLLBACK step, or STOP.'),
    needs_human: described(z.string(), 'A reviewer has to decide: a GATE step, or STOP.'),
  },
  'The next step for each status of the planner.',
);

const gateRoutes = mapping(
  {
    gate_approved: target('A reviewer approved'),
    gate_rejected: target('A reviewer rejected'),
    gate_timed_out: described(
      z.optional(z.string()),
      'The gate timed out: a step id, or STOP. Required if `timeout` is set.',
    ),
    killed_timeout: described(z.optional(z.string()), 'Used if `gate_timed_out` is missing.'),
    error: z.optional(target('The gate could not be opened')),
  },
  'The next step for each answer.',
);

/** The limits on what agents may spend. */
export const BUDGET_KEYS = ['token_budget', 'cost_budget_usd'] as const;

const limits = mapping(
  {
    timeout: described(z.optional(durationSchema), 'Wall-clock time of one visit of a step.'),
    idle_timeout: described(z.optional(durationSchema), 'Time without output.'),
    max_visits: described(z.optional(wholeNumber(1)), 'Visits of a step in one run.'),
    token_budget: described(
      z.optional(wholeNumber(1)),
      'Tokens of the whole run, or of all visits of a step.',
    ),
    cost_budget_usd: described(
      z.optional(z.number().check(z.positive())),
      'US dollars, counted like the tokens.',
    ),
  },
  'Limits. Those of a step tighten those of the workflow.',
);

const stepLimits = described(z.optional(limits), 'Limits of this step; they tighten those of the workflow.');

const validatorCommon = {
  id: described(validatorId(), 'The id of the validator; unique within the step.'),
  artifacts: described(z.optional(z.array(textSchema)), 'Globs of files to keep as evidence.'),
  timeout: described(z.optional(durationSchema), "Overrides the step's timeout."),
  report: described(z.optional(reportSchema), 'A test report to convert into a harness report.'),
  may_propose_goldens: described(z.optional(z.boolean()), 'Whether its report can propose goldens.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is retried.'),
};

const builtinValidator = mapping({
  ...validatorCommon,
  kind: described(z.literal('builtin'), 'The configuration defines its command.'),
  optional: described(
    z.optional(z.boolean()),
    'Skipped if the repository has nothing for it to run; only failures that are new since the baseline count.',
  ),
});

const scriptValidator = mapping({
  ...validatorCommon,
  kind: described(z.literal('script'), '`entrypoint` defines its command.'),
  entrypoint: described(text(), 'A path in the run directory or the checkout, or an allowed command.'),
  args: described(z.optional(z.array(z.string())), 'Arguments of the entrypoint, without a shell.'),
  cwd: described(z.optional(textSchema), 'The folder to run in. Default: the checkout.'),
});

const validatorEntry = z.union([
  described(validatorId(), 'A validator of the configuration.'),
  z.discriminatedUnion('kind', [builtinValidator, scriptValidator]),
]);

const stepCommon = {
  id: stepId,
  allow_unreachable: described(z.optional(z.boolean()), 'Allows a step that no route leads to.'),
};

/** Creates a new schema for each opcode: a shared one would become a reference in the generated JSON Schema. */
function stepPolicy() {
  return described(
    z.optional(textSchema),
    'A policy reference, `policy.<name>.v<N>`; it tightens `defaults.policy`.',
  );
}

const agentStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('RUN_AGENT'), 'An agent works on the files.'),
  agent: described(text(), 'An agent of the configuration.'),
  prompt: described(text(), 'A reference, or text with white space in it.'),
  inputs: described(z.optional(z.array(textSchema)), 'Names of the inputs of the prompt.'),
  policy: stepPolicy(),
  intent: described(z.optional(z.enum(INTENTS)), 'The purpose of the step, if the prompt does not state it.'),
  session: described(
    z.optional(z.enum(['fresh'])),
    "`fresh` starts every visit anew; otherwise a later visit continues the agent's session.",
  ),
  limits: stepLimits,
  routes: mechanicalRoutes,
});

const validationStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('RUN_VALIDATION'), 'Validators check the files.'),
  run: described(
    z.array(validatorEntry).check(z.minLength(1)),
    'The validators: names of the configuration, or mappings.',
  ),
  parallel: described(
    z.optional(z.boolean()),
    'Whether the validators run at the same time. Default: one after the other.',
  ),
  policy: stepPolicy(),
  limits: stepLimits,
  routes: mechanicalRoutes,
});

const revision = mapping(
  {
    step: described(z.string(), 'The step that refines: the target of `partial`.'),
    max_attempts: described(
      z.optional(z.int().check(z.minimum(1), z.maximum(3))),
      'Maximum number of revisions. Default: 1.',
    ),
  },
  'Which step revises the work, and how often.',
);

const evaluateStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('EVALUATE'), 'The planner evaluates the evidence.'),
  prompt: described(text(), 'A reference to a planner prompt.'),
  allowed_next_steps: described(
    z.array(z.string()).check(z.minLength(1)),
    'The steps that the planner may request and the routes may lead to.',
  ),
  revision: z.optional(revision),
  limits: stepLimits,
  routes: plannerRoutes,
});

const gateStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('GATE'), 'A reviewer decides.'),
  gate: described(text(), '`requires_approval`, or another label.'),
  approvers: described(z.optional(z.array(textSchema)), 'Who may answer. Default: anyone.'),
  timeout: described(z.optional(durationSchema), 'How long to wait for an answer. Default: no limit.'),
  routes: gateRoutes,
});

const rollbackStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('ROLLBACK'), 'Restores the files to an earlier state.'),
  target: described(z.enum(['pre_run', 'pre_step']), 'Before the run, or before the latest agent step.'),
  routes: mechanicalRoutes,
});

const stopStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('STOP'), 'The run ends.'),
  reason: described(z.optional(z.string()), 'The reason; it is recorded with the run.'),
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
    policy: described(z.optional(textSchema), 'A policy reference, `policy.<name>.v<N>`.'),
    limits: described(z.optional(limits), 'Limits of the run and of every step.'),
    artifacts_dir: described(z.optional(textSchema), 'The folder of the run directories of this workflow.'),
    component_kind: described(
      z.optional(z.enum(COMPONENT_KINDS)),
      'The kind of component; an input of prompts.',
    ),
    eval_profile: described(
      z.optional(z.enum(EVAL_PROFILES)),
      'How thorough the evaluation is; an input of prompts.',
    ),
  },
  'Defaults for every step.',
);

/** A workflow file, as written. */
export const workflowDocumentSchema = mapping({
  workflow_id: described(defineForm('workflowId', NAME_PATTERN), 'The id of the workflow.'),
  version: described(wholeNumber(1), 'The version of the workflow, recorded with each run.'),
  description: described(z.string(), 'What the workflow does.'),
  entry_step: described(z.string(), 'The id of the first step.'),
  defaults: z.optional(defaults),
  steps: described(z.array(step).check(z.minLength(1)), 'The steps; routes lead from one to the next.'),
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

/** The opcodes that have a key, to distinguish a misplaced key from a misspelt one. */
export function opcodesWithKey(key: string): string[] {
  return OPCODES.filter((opcode) => Object.hasOwn(stepSchemas[opcode].shape, key));
}

/** Whether a key belongs under `limits`, to report a limit that is written beside it. */
export function isLimitKey(key: string): boolean {
  return Object.hasOwn(limits.shape, key);
}
