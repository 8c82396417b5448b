import type { MechanicalOutcome, PlannerStatus } from '../src/contracts/vocabulary.ts';
import type {
  AgentStep,
  Budgets,
  EvaluateStep,
  GateStep,
  Plan,
  PlanStep,
  RollbackStep,
  StopStep,
  Target,
  ValidationStep,
} from '../src/kernel/plan.ts';

/** Small plans for tests: whatever is not said ends the run, as a workflow with bare STOP routes would. */

type Fields<S extends PlanStep, R> = Partial<Omit<S, 'id' | 'opcode' | 'routes'>> & {
  readonly routes?: R;
};

type MechanicalRoutes = Partial<Readonly<Record<MechanicalOutcome, Target>>>;

const UNBOUNDED: Budgets = { tokens: null, costUsd: null };
const LIMITS = { maxVisits: 10, timeoutMs: 60_000, idleTimeoutMs: 60_000 } as const;

/** A missing `killed_*` falls back to the `error` route, as it does in a workflow document. */
function mechanicalRoutes(routes: MechanicalRoutes = {}): Readonly<Record<MechanicalOutcome, Target>> {
  const error = routes.error ?? 'STOP';
  return {
    completed: 'STOP',
    error,
    killed_idle: error,
    killed_timeout: error,
    killed_policy: error,
    ...routes,
  };
}

export function agent(id: string, fields: Fields<AgentStep, MechanicalRoutes> = {}): AgentStep {
  return {
    opcode: 'RUN_AGENT',
    agent: 'scripted',
    prompt: { kind: 'inline', text: 'do the task' },
    inputs: [],
    policies: [],
    intent: null,
    budgets: UNBOUNDED,
    ...LIMITS,
    ...fields,
    id,
    routes: mechanicalRoutes(fields.routes),
  };
}

export function validation(
  id: string,
  fields: Fields<ValidationStep, MechanicalRoutes> = {},
): ValidationStep {
  return {
    opcode: 'RUN_VALIDATION',
    policies: [],
    validators: [
      {
        kind: 'named',
        id: 'tests',
        name: 'tests',
        artifacts: [],
        timeoutMs: null,
        report: null,
        mayProposeGoldens: null,
        retries: 0,
      },
    ],
    parallel: false,
    ...LIMITS,
    ...fields,
    id,
    routes: mechanicalRoutes(fields.routes),
  };
}

/** Unless said otherwise, the planner may ask for what the routes lead to, and for STOP. */
export function evaluate(
  id: string,
  fields: Fields<EvaluateStep, Partial<Readonly<Record<PlannerStatus, Target>>>> = {},
): EvaluateStep {
  const routes = {
    success: 'STOP',
    partial: 'STOP',
    blocked: 'STOP',
    unsafe: 'STOP',
    needs_human: 'STOP',
    ...fields.routes,
  };
  return {
    opcode: 'EVALUATE',
    prompt: 'planner.evaluate.v1',
    allowedNextSteps: [...new Set([...Object.values(routes), 'STOP'])],
    revision: null,
    budgets: UNBOUNDED,
    ...LIMITS,
    ...fields,
    id,
    routes,
  };
}

export function gate(id: string, fields: Fields<GateStep, Partial<GateStep['routes']>> = {}): GateStep {
  return {
    opcode: 'GATE',
    gate: 'requires_approval',
    approvers: [],
    timeoutMs: null,
    maxVisits: LIMITS.maxVisits,
    ...fields,
    id,
    routes: {
      gate_approved: 'STOP',
      gate_rejected: 'STOP',
      gate_timed_out: null,
      error: null,
      ...fields.routes,
    },
  };
}

export function rollback(id: string, fields: Fields<RollbackStep, MechanicalRoutes> = {}): RollbackStep {
  return {
    opcode: 'ROLLBACK',
    target: 'pre_run',
    maxVisits: LIMITS.maxVisits,
    ...fields,
    id,
    routes: mechanicalRoutes(fields.routes),
  };
}

export function stop(id: string, reason: string | null = null): StopStep {
  return { opcode: 'STOP', id, reason, maxVisits: LIMITS.maxVisits };
}

/** The first step is the entry unless said otherwise. */
export function planOf(
  steps: readonly [PlanStep, ...PlanStep[]],
  fields: Partial<Omit<Plan, 'steps' | 'stepsById'>> = {},
): Plan {
  return {
    workflowId: 'sample',
    version: 1,
    description: '',
    entryStep: steps[0].id,
    artifactsDir: null,
    componentKind: null,
    evalProfile: null,
    budgets: UNBOUNDED,
    ...fields,
    steps,
    stepsById: Object.fromEntries(steps.map((step) => [step.id, step])),
  };
}
