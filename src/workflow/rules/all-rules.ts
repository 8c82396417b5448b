import type { Rule } from '../rule.ts';
import { agentLimitsRule } from './agent-limits.ts';
import { allowedNextStepsRule } from './allowed-next-steps.ts';
import { closedLoopsRule } from './closed-loops.ts';
import { deadRoutesRule } from './dead-routes.ts';
import { entryStepRule } from './entry-step.ts';
import { gateApproversRule } from './gate-approvers.ts';
import { gateTimeoutRule } from './gate-timeout.ts';
import { goldenGateRule } from './golden-gate.ts';
import { inlineTemplatesRule } from './inline-templates.ts';
import { killFallbacksRule } from './kill-fallbacks.ts';
import { knownAgentsRule } from './known-agents.ts';
import { knownEntrypointsRule } from './known-entrypoints.ts';
import { knownPoliciesRule } from './known-policies.ts';
import { knownPromptsRule } from './known-prompts.ts';
import { knownValidatorsRule } from './known-validators.ts';
import { limitsRule } from './limits.ts';
import { pathBoundsRule } from './path-bounds.ts';
import { plannerRoutesRule } from './planner-routes.ts';
import { policyFormsRule } from './policy-forms.ts';
import { promptFormsRule } from './prompt-forms.ts';
import { promptInputsRule } from './prompt-inputs.ts';
import { reachableStopRule } from './reachable-stop.ts';
import { revisionRule } from './revision.ts';
import { routeTargetsRule } from './route-targets.ts';
import { spendlessBudgetsRule } from './spendless-budgets.ts';
import { stepIdsRule } from './step-ids.ts';
import { substitutionsRule } from './substitutions.ts';
import { unjudgedValidationsRule } from './unjudged-validations.ts';
import { unreachableStepsRule } from './unreachable-steps.ts';
import { unvalidatedSuccessRule } from './unvalidated-success.ts';
import { unverifiedEndsRule } from './unverified-ends.ts';
import { validatorIdsRule } from './validator-ids.ts';

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
  limitsRule,
  spendlessBudgetsRule,
  agentLimitsRule,
  revisionRule,
  validatorIdsRule,
  unreachableStepsRule,
  reachableStopRule,
  closedLoopsRule,
  goldenGateRule,
  unvalidatedSuccessRule,
  unjudgedValidationsRule,
  unverifiedEndsRule,
  knownAgentsRule,
  knownValidatorsRule,
  knownPoliciesRule,
  knownPromptsRule,
  knownEntrypointsRule,
  promptInputsRule,
];
