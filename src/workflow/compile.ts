import type {
  LimitsDocument,
  StepDocument,
  ValidatorDocument,
  WorkflowDocument,
} from '../contracts/documents/workflow-document.ts';
import { parseDuration } from '../contracts/duration.ts';
import { STOP } from '../contracts/vocabulary.ts';
import type { Budgets, Plan, PlanStep, PlanValidator, ProcessLimits, PromptSource } from '../kernel/plan.ts';
import type { CheckContext } from './rule.ts';
import { promptForm } from './rules/steps/prompt-forms.ts';

type Defaults = CheckContext['defaults'];

/** Builds the plan of a document and fills in defaults. Only for documents without an error. */
export function compilePlan(document: WorkflowDocument, defaults: Defaults): Plan {
  const shared = document.defaults ?? {};
  const steps = document.steps.map((step) => compileStep(step, document, defaults));
  const stepsById: Record<string, PlanStep> = Object.create(null);
  for (const step of steps) stepsById[step.id] = step;
  return {
    workflowId: document.workflow_id,
    version: document.version,
    description: document.description,
    entryStep: document.entry_step,
    artifactsDir: shared.artifacts_dir ?? null,
    componentKind: shared.component_kind ?? null,
    evalProfile: shared.eval_profile ?? null,
    budgets: compileBudgets(shared.limits),
    steps,
    stepsById,
  };
}

function compileStep(step: StepDocument, document: WorkflowDocument, defaults: Defaults): PlanStep {
  const shared = document.defaults?.limits;
  const own = 'limits' in step ? step.limits : undefined;
  const maxVisits = tighter(own?.max_visits, shared?.max_visits) ?? defaults.maxVisits;
  const base = { id: step.id, maxVisits };
  switch (step.opcode) {
    case 'RUN_AGENT':
      return {
        ...withProcessLimits(base, own, shared, defaults),
        opcode: 'RUN_AGENT',
        agent: step.agent,
        prompt: compilePrompt(step.prompt),
        inputs: step.inputs ?? [],
        policies: listPolicies(step, document),
        intent: step.intent ?? null,
        ...(step.session === undefined ? {} : { session: step.session }),
        budgets: compileBudgets(own, shared),
        routes: compileMechanicalRoutes(step.routes),
      };
    case 'RUN_VALIDATION':
      return {
        ...withProcessLimits(base, own, shared, defaults),
        opcode: 'RUN_VALIDATION',
        policies: listPolicies(step, document),
        validators: step.run.map(compileValidator),
        parallel: step.parallel ?? false,
        routes: compileMechanicalRoutes(step.routes),
      };
    case 'EVALUATE':
      return {
        ...withProcessLimits(base, own, shared, defaults),
        opcode: 'EVALUATE',
        prompt: step.prompt,
        allowedNextSteps: step.allowed_next_steps,
        revision: step.revision
          ? { step: step.revision.step, maxAttempts: step.revision.max_attempts ?? 1 }
          : null,
        budgets: compileBudgets(own, shared),
        routes: compilePlannerRoutes(step.routes),
      };
    case 'GATE':
      return {
        ...base,
        opcode: 'GATE',
        gate: step.gate,
        approvers: step.approvers ?? [],
        timeoutMs: parseDuration(step.timeout),
        routes: {
          gate_approved: step.routes.gate_approved,
          gate_rejected: step.routes.gate_rejected,
          gate_timed_out: step.routes.gate_timed_out ?? step.routes.killed_timeout ?? null,
          error: step.routes.error ?? null,
        },
      };
    case 'ROLLBACK':
      return {
        ...base,
        opcode: 'ROLLBACK',
        target: step.target,
        routes: compileMechanicalRoutes(step.routes),
      };
    case 'STOP':
      return { ...base, opcode: 'STOP', reason: step.reason ?? null };
  }
}

function listPolicies(
  { policy }: Extract<StepDocument, { opcode: 'RUN_AGENT' | 'RUN_VALIDATION' }>,
  { defaults }: WorkflowDocument,
): readonly string[] {
  return [defaults?.policy, policy].filter((ref) => ref !== undefined);
}

type MechanicalRoutesDocument = Extract<StepDocument, { opcode: 'RUN_AGENT' }>['routes'];

function compileMechanicalRoutes(routes: MechanicalRoutesDocument) {
  return {
    completed: routes.completed,
    error: routes.error,
    killed_idle: routes.killed_idle ?? routes.error,
    killed_timeout: routes.killed_timeout ?? routes.error,
    killed_policy: routes.killed_policy ?? routes.error,
  };
}

type PlannerRoutesDocument = Extract<StepDocument, { opcode: 'EVALUATE' }>['routes'];

function compilePlannerRoutes(routes: PlannerRoutesDocument) {
  return {
    success: routes.success,
    partial: routes.partial,
    blocked: routes.blocked ?? STOP,
    unsafe: routes.unsafe,
    needs_human: routes.needs_human,
  };
}

function compileValidator(entry: ValidatorDocument): PlanValidator {
  if (typeof entry === 'string') {
    const unset = { artifacts: [], timeoutMs: null, report: null, mayProposeGoldens: null, retries: null };
    return { kind: 'named', id: entry, name: entry, ...unset };
  }
  const common = {
    id: entry.id,
    artifacts: entry.artifacts ?? [],
    timeoutMs: parseDuration(entry.timeout),
    report: entry.report ?? null,
    mayProposeGoldens: entry.may_propose_goldens ?? null,
    retries: entry.retries ?? null,
  };
  if (entry.kind === 'builtin') {
    const named = { kind: 'named' as const, name: entry.id, ...common };
    return entry.optional === true ? { ...named, optional: true } : named;
  }
  return {
    kind: 'script',
    ...common,
    entrypoint: entry.entrypoint,
    args: entry.args ?? [],
    cwd: entry.cwd ?? null,
  };
}

function compilePrompt(prompt: string): PromptSource {
  return promptForm(prompt) === 'inline'
    ? { kind: 'inline', text: prompt }
    : { kind: 'reference', ref: prompt };
}

type Limits = LimitsDocument | undefined;

/** Copies `base` so that callers need one spread: a second spread is slow, and plans can have thousands of steps. */
function withProcessLimits(
  base: { readonly id: string; readonly maxVisits: number },
  own: Limits,
  shared: Limits,
  defaults: Defaults,
): typeof base & ProcessLimits {
  return {
    id: base.id,
    maxVisits: base.maxVisits,
    timeoutMs: tighterDuration(own?.timeout, shared?.timeout) ?? defaults.timeoutMs,
    idleTimeoutMs: tighterDuration(own?.idle_timeout, shared?.idle_timeout) ?? defaults.idleTimeoutMs,
  };
}

type Duration = NonNullable<Limits>['timeout'];

function tighterDuration(own: Duration, shared: Duration): number | undefined {
  return tighter(parseDuration(own) ?? undefined, parseDuration(shared) ?? undefined);
}

/** The budgets of a step, capped by the workflow's; a step that sets no budget has none. */
function compileBudgets(limits: Limits, cap?: Limits): Budgets {
  const bounded = (own: number | undefined, most: number | undefined) =>
    own === undefined ? null : (tighter(own, most) ?? null);
  return {
    tokens: bounded(limits?.token_budget, cap?.token_budget),
    costUsd: bounded(limits?.cost_budget_usd, cap?.cost_budget_usd),
  };
}

function tighter(own: number | undefined, shared: number | undefined): number | undefined {
  if (own === undefined || shared === undefined) return own ?? shared;
  return Math.min(own, shared);
}
