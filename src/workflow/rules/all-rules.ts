import type { Rule } from '../rule.ts';
import { agentLimitsRule } from './limits/agent-limits.ts';
import { stepLimitsRule } from './limits/step-limits.ts';
import { unspendableBudgetsRule } from './limits/unspendable-budgets.ts';
import { knownAgentsRule } from './names/known-agents.ts';
import { knownEntrypointsRule } from './names/known-entrypoints.ts';
import { knownPoliciesRule } from './names/known-policies.ts';
import { knownPromptsRule } from './names/known-prompts.ts';
import { knownValidatorsRule } from './names/known-validators.ts';
import { closedLoopsRule } from './paths/closed-loops.ts';
import { deadRoutesRule } from './paths/dead-routes.ts';
import { entryStepRule } from './paths/entry-step.ts';
import { goldenGateRule } from './paths/golden-gate.ts';
import { reachableStopRule } from './paths/reachable-stop.ts';
import { unevaluatedValidationsRule } from './paths/unevaluated-validations.ts';
import { unreachableStepsRule } from './paths/unreachable-steps.ts';
import { unvalidatedSuccessRule } from './paths/unvalidated-success.ts';
import { unverifiedEndsRule } from './paths/unverified-ends.ts';
import { allowedNextStepsRule } from './steps/allowed-next-steps.ts';
import { gateApproversRule } from './steps/gate-approvers.ts';
import { gateTimeoutRule } from './steps/gate-timeout.ts';
import { inlineTemplatesRule } from './steps/inline-templates.ts';
import { killFallbacksRule } from './steps/kill-fallbacks.ts';
import { pathBoundsRule } from './steps/path-bounds.ts';
import { plannerRoutesRule } from './steps/planner-routes.ts';
import { policyFormsRule } from './steps/policy-forms.ts';
import { promptFormsRule } from './steps/prompt-forms.ts';
import { promptInputsRule } from './steps/prompt-inputs.ts';
import { revisionRule } from './steps/revision.ts';
import { routeTargetsRule } from './steps/route-targets.ts';
import { stepIdsRule } from './steps/step-ids.ts';
import { substitutionsRule } from './steps/substitutions.ts';
import { validatorIdsRule } from './steps/validator-ids.ts';

/** The order doesn't matter: diagnostics are sorted by position. */
export const ALL_RULES: readonly Rule[] = [
  stepIdsRule,
  entryStepRule,
  routeTargetsRule,
  killFallbacksRule,
  gateTimeoutRule,
  deadRoutesRule,
  gateApproversRule,
  plannerRoutesRule,
  allowedNextStepsRule,
  promptFormsRule,
  inlineTemplatesRule,
  policyFormsRule,
  substitutionsRule,
  pathBoundsRule,
  stepLimitsRule,
  unspendableBudgetsRule,
  agentLimitsRule,
  revisionRule,
  validatorIdsRule,
  unreachableStepsRule,
  reachableStopRule,
  closedLoopsRule,
  goldenGateRule,
  unvalidatedSuccessRule,
  unevaluatedValidationsRule,
  unverifiedEndsRule,
  knownAgentsRule,
  knownValidatorsRule,
  knownPoliciesRule,
  knownPromptsRule,
  knownEntrypointsRule,
  promptInputsRule,
];
