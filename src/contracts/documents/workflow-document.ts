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
} from '../forms.ts';
import { COMPONENT_KINDS, EVAL_PROFILES, INTENTS, OPCODES } from '../vocabulary.ts';

/** Creates a new schema for each use, because the description differs by route. */
function target(when: string) {
  return described(z.string(), `${when}: a step id, or STOP.`);
}

const stepId = described(formOf('stepId', STEP_ID_PATTERN), 'Names the step; unique without regard to case.');

const mechanicalRoutes = mapping(
  {
    completed: target('It went through'),
    error: target('It failed'),
    killed_timeout: z.optional(target('It ran out of time')),
    killed_idle: z.optional(target('It was silent for too long')),
    killed_policy: z.optional(target('It broke a policy')),
  },
  'Where the run goes next, by outcome. A missing `killed_*` falls back to `error`.',
);

const plannerRoutes = mapping(
  {
    success: target('The evidence shows that the work is done'),
    partial: target('Something can still be fixed'),
    blocked: described(
      z.optional(z.string()),
      'The work cannot go on: a step id, or STOP, which it is where it is left out.',
    ),
    unsafe: described(z.string(), 'The result must not be kept: a ROLLBACK step, or STOP.'),
    needs_human: described(z.string(), 'A person has to decide: a GATE step, or STOP.'),
  },
  'Where the run goes next, by the status of the planner.',
);

const gateRoutes = mapping(
  {
    gate_approved: target('A person approved'),
    gate_rejected: target('A person rejected'),
    gate_timed_out: described(
      z.optional(z.string()),
      'Nobody answered in time: a step id, or STOP. Required where `timeout` is set.',
    ),
    killed_timeout: described(z.optional(z.string()), 'Stands in for `gate_timed_out`.'),
    error: z.optional(target('The gate could not be opened')),
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

const stepLimits = described(z.optional(limits), 'Bounds of this step; they tighten those of the workflow.');

const validatorCommon = {
  id: described(validatorId(), 'Names the validator; unique within the step.'),
  artifacts: described(z.optional(z.array(textSchema)), 'Globs of the files to keep.'),
  timeout: described(z.optional(durationSchema), 'Instead of the timeout of the step.'),
  report: described(z.optional(reportSchema), 'A report to turn into a harness report.'),
  may_propose_goldens: described(z.optional(z.boolean()), 'Whether its report can propose goldens.'),
  retries: described(z.optional(wholeNumber(0)), 'How often a failure is tried again.'),
};

const builtinValidator = mapping({
  ...validatorCommon,
  kind: described(z.literal('builtin'), 'What it runs comes from the configuration.'),
  optional: described(
    z.optional(z.boolean()),
    'Runs only where the repository has something to run for it, and counts by what is new since the baseline.',
  ),
});

const scriptValidator = mapping({
  ...validatorCommon,
  kind: described(z.literal('script'), 'What it runs stands in `entrypoint`.'),
  entrypoint: described(text(), 'A path in the run directory or the worktree, or an allowed command.'),
  args: described(z.optional(z.array(z.string())), 'Arguments of the entrypoint, without a shell.'),
  cwd: described(z.optional(textSchema), 'The folder to run in; the worktree where it is left out.'),
});

const validatorEntry = z.union([
  described(validatorId(), 'A validator of the configuration.'),
  z.discriminatedUnion('kind', [builtinValidator, scriptValidator]),
]);

const stepCommon = {
  id: stepId,
  allow_unreachable: described(z.optional(z.boolean()), 'Keeps a step that nothing leads to.'),
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
  inputs: described(z.optional(z.array(textSchema)), 'Names of what the prompt gets.'),
  policy: stepPolicy(),
  intent: described(z.optional(z.enum(INTENTS)), 'What the step is for, where the prompt does not say.'),
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
    'Whether they run at the same time; in turn where it is left out.',
  ),
  policy: stepPolicy(),
  limits: stepLimits,
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
  opcode: described(z.literal('EVALUATE'), 'The planner judges the evidence.'),
  prompt: described(text(), 'A reference to a planner prompt.'),
  allowed_next_steps: described(
    z.array(z.string()).check(z.minLength(1)),
    'What the planner may ask for, and what the routes may lead to.',
  ),
  revision: z.optional(revision),
  limits: stepLimits,
  routes: plannerRoutes,
});

const gateStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('GATE'), 'A person decides.'),
  gate: described(text(), '`requires_approval`, or another label.'),
  approvers: described(z.optional(z.array(textSchema)), 'Who may answer; anybody where it is left out.'),
  timeout: described(
    z.optional(durationSchema),
    'How long to wait for an answer; for ever where it is left out.',
  ),
  routes: gateRoutes,
});

const rollbackStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('ROLLBACK'), 'The files go back to an earlier state.'),
  target: described(z.enum(['pre_run', 'pre_step']), 'Before the run, or before the latest agent step.'),
  routes: mechanicalRoutes,
});

const stopStep = mapping({
  ...stepCommon,
  opcode: described(z.literal('STOP'), 'The run ends.'),
  reason: described(z.optional(z.string()), 'Why; it is kept with the run.'),
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
    limits: described(z.optional(limits), 'Bounds of the run and of every step.'),
    artifacts_dir: described(z.optional(textSchema), 'Where the runs of this workflow are kept.'),
    component_kind: described(z.optional(z.enum(COMPONENT_KINDS)), 'What is worked on; prompts get it.'),
    eval_profile: described(z.optional(z.enum(EVAL_PROFILES)), 'How thorough to be; prompts get it.'),
  },
  'What holds for every step.',
);

/** A workflow file, as written. */
export const workflowDocumentSchema = mapping({
  workflow_id: described(formOf('workflowId', NAME_PATTERN), 'Names the workflow.'),
  version: described(wholeNumber(1), "The author's own, recorded with each run."),
  description: described(z.string(), 'What it is for, for people.'),
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
