/** The closed vocabularies of the system, each defined in one place. */

export const OPCODES = ['RUN_AGENT', 'RUN_VALIDATION', 'EVALUATE', 'GATE', 'ROLLBACK', 'STOP'] as const;
export type Opcode = (typeof OPCODES)[number];

/** How a step other than EVALUATE or GATE ends. Ordered from best to worst. */
export const MECHANICAL_OUTCOMES = [
  'completed',
  'error',
  'killed_idle',
  'killed_timeout',
  'killed_policy',
] as const;
export type MechanicalOutcome = (typeof MECHANICAL_OUTCOMES)[number];

export const PLANNER_STATUSES = ['success', 'partial', 'blocked', 'unsafe', 'needs_human'] as const;
export type PlannerStatus = (typeof PLANNER_STATUSES)[number];

export const GATE_EVENTS = ['gate_approved', 'gate_rejected', 'gate_timed_out'] as const;
export type GateEvent = (typeof GATE_EVENTS)[number];

/** Every key that a `routes` map can have. */
export type RouteKey = MechanicalOutcome | PlannerStatus | GateEvent;

export const LIFECYCLE_STATES = ['running', 'waiting', 'blocked', 'failed', 'completed'] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The result of a run, as opposed to its lifecycle state. */
export const RUN_OUTCOMES = [
  'success',
  'unverified',
  'partial',
  'blocked',
  'needs_human',
  'rejected',
  'timed_out',
  'unsafe',
  'policy',
  'budget',
  'error',
  'cancelled',
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The exact reason why a run ended: a route key, or an end without a route. */
export const TERMINATIONS = [
  ...MECHANICAL_OUTCOMES,
  ...PLANNER_STATUSES,
  ...GATE_EVENTS,
  'workflow_error',
  'budget',
  'cancelled',
] as const;
export type Termination = (typeof TERMINATIONS)[number];

export const VIOLATION_CLASSES = [
  'native_policy_block',
  'forbidden_path',
  'forbidden_operation',
  'interactive_prompt_violation',
  'network_violation',
  'protected_branch_violation',
  'outside_workspace',
  'budget_exceeded',
] as const;
export type ViolationClass = (typeof VIOLATION_CLASSES)[number];

export const COMPONENT_KINDS = ['docs', 'cli', 'web', 'vscode_ui', 'library'] as const;
export const EVAL_PROFILES = ['smoke', 'overnight', 'release_candidate'] as const;

/** The purpose of an agent step; the planner checks claims against it. */
export const INTENTS = ['implementation', 'review', 'analysis', 'harness', 'none'] as const;
export type Intent = (typeof INTENTS)[number];

/** The reserved route target that ends a run. */
export const STOP = 'STOP';

/** What `conductor stats` can group runs by. */
export const STATS_DIMENSIONS = ['agent', 'model', 'prompt', 'workflow'] as const;
export type StatsDimension = (typeof STATS_DIMENSIONS)[number];

/** What keeps runs: this repository, or a database that workers share. */
export const ENGINE_KINDS = ['embedded', 'postgres'] as const;
export type EngineKind = (typeof ENGINE_KINDS)[number];
