import type { GateEvent, Intent, MechanicalOutcome, Opcode, PlannerStatus } from '../contracts/vocabulary.ts';

/**
 * A checked workflow, ready to run: every default filled in, every fallback resolved, every duration in
 * milliseconds. Only `workflow/` builds plans, and it builds none from a document that has an error.
 */
export interface Plan {
  readonly workflowId: string;
  readonly version: number;
  readonly description: string;
  readonly entryStep: string;
  readonly artifactsDir: string | null;
  readonly componentKind: string | null;
  readonly evalProfile: string | null;
  readonly budgets: Budgets;
  /** In the order of the document. */
  readonly steps: readonly PlanStep[];
  readonly stepsById: Readonly<Record<string, PlanStep>>;
}

/** Null means no bound. */
export interface Budgets {
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

/** A step id, or `STOP`. */
export type Target = string;

interface StepBase {
  readonly id: string;
  readonly opcode: Opcode;
  readonly maxVisits: number;
}

export interface ProcessLimits {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
}

export type PromptSource =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'reference'; readonly ref: string };

export interface AgentStep extends StepBase, ProcessLimits {
  readonly opcode: 'RUN_AGENT';
  readonly agent: string;
  readonly prompt: PromptSource;
  readonly inputs: readonly string[];
  /** Policy references in the order in which they are merged: the workflow's, then the step's. */
  readonly policies: readonly string[];
  readonly intent: Intent | null;
  /** Missing: a later visit continues the agent's session. */
  readonly session?: 'fresh';
  readonly budgets: Budgets;
  readonly routes: Readonly<Record<MechanicalOutcome, Target>>;
}

export interface ValidationStep extends StepBase, ProcessLimits {
  readonly opcode: 'RUN_VALIDATION';
  /** Same order as for an agent step. */
  readonly policies: readonly string[];
  readonly validators: readonly PlanValidator[];
  readonly parallel: boolean;
  readonly routes: Readonly<Record<MechanicalOutcome, Target>>;
}

/** `named` covers plain strings and `kind: builtin`: the configuration defines their command. */
export type PlanValidator = NamedValidator | ScriptValidator;

interface ValidatorBase {
  readonly id: string;
  readonly artifacts: readonly string[];
  /** Overrides the step's timeout; null keeps it. */
  readonly timeoutMs: number | null;
  readonly report: string | null;
  readonly mayProposeGoldens: boolean | null;
  /** How often a failure is retried; null uses the configured value. */
  readonly retries: number | null;
}

export interface NamedValidator extends ValidatorBase {
  readonly kind: 'named';
  readonly name: string;
  /** Skipped if the repository has nothing for it to run; only failures that are new since the baseline count. */
  readonly optional?: true;
}

export interface ScriptValidator extends ValidatorBase {
  readonly kind: 'script';
  readonly entrypoint: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
}

export interface EvaluateStep extends StepBase, ProcessLimits {
  readonly opcode: 'EVALUATE';
  readonly prompt: string;
  readonly allowedNextSteps: readonly Target[];
  readonly revision: { readonly step: string; readonly maxAttempts: number } | null;
  readonly budgets: Budgets;
  readonly routes: Readonly<Record<PlannerStatus, Target>>;
}

export interface GateStep extends StepBase {
  readonly opcode: 'GATE';
  readonly gate: string;
  /** Empty: everyone may approve. */
  readonly approvers: readonly string[];
  readonly timeoutMs: number | null;
  readonly routes: Readonly<Record<Exclude<GateEvent, 'gate_timed_out'>, Target>> & {
    readonly gate_timed_out: Target | null;
    readonly error: Target | null;
  };
}

export interface RollbackStep extends StepBase {
  readonly opcode: 'ROLLBACK';
  readonly target: 'pre_run' | 'pre_step';
  readonly routes: Readonly<Record<MechanicalOutcome, Target>>;
}

export interface StopStep extends StepBase {
  readonly opcode: 'STOP';
  readonly reason: string | null;
}

export type PlanStep = AgentStep | ValidationStep | EvaluateStep | GateStep | RollbackStep | StopStep;
