import * as z from 'zod';
import {
  GATE_EVENTS,
  LIFECYCLE_STATES,
  MECHANICAL_OUTCOMES,
  OPCODES,
  PLANNER_STATUSES,
  RUN_OUTCOMES,
  TERMINATIONS,
  VIOLATION_CLASSES,
} from '../vocabulary.ts';
import { FAILURE_CLASSES } from './agent-failure.ts';
import { usageSchema } from './agent-result.ts';
import { answerOriginSchema } from './answer-origin.ts';
import { BOUND_NAMES } from './process-end.ts';
import { typedFeedbackShape } from './typed-feedback.ts';

/** Version of the line format and of the closed list of event types. All earlier versions can still be read. */
export const EVENT_SCHEMA_VERSION = 2;

const outcome = z.enum(MECHANICAL_OUTCOMES);
const routeKey = z.enum([...MECHANICAL_OUTCOMES, ...PLANNER_STATUSES, ...GATE_EVENTS]);
const sha = z.string();

/** The result of one validator of a RUN_VALIDATION, as far as routing needs it. */
const validatorEnd = z.strictObject({
  id: z.string(),
  /** Identifies the same validator across visits: its name, or step and id. */
  key: z.string(),
  outcome,
  exit_code: z.int().nullable(),
  /** Null if there was no usable harness report. */
  proposals: z.int().nonnegative().nullable(),
  /** How often it ran, if more than once. */
  tries: z.int().min(2).optional(),
  /** It failed first and passed on a later try. */
  flaky: z.literal(true).optional(),
  /** Number of cases in its report that passed only on a later try, if any. */
  flaky_cases: z.int().positive().optional(),
});
export type ValidatorEnd = z.infer<typeof validatorEnd>;

const stepEnd = z.strictObject({
  outcome,
  attempt: z.int().positive(),
  /** Whether the step changed files of the checkout. */
  changed: z.boolean(),
  tree: sha.nullable(),
  validators: z.array(validatorEnd),
  usage: usageSchema.nullable(),
  reason: z.string().nullable(),
});

const gateAnswer = z.strictObject({
  attempt: z.int().positive(),
  by: z.string().nullable(),
  comment: z.string().nullable(),
  answered_at: z.string(),
  /** Missing for a timeout and in records of earlier versions. */
  from: z.optional(answerOriginSchema),
  ...typedFeedbackShape,
});

export const eventPayloads = {
  run_started: z.strictObject({
    schema_version: z.int(),
    conductor_version: z.string(),
    workflow_id: z.string(),
    workflow_version: z.int(),
    workflow_digest: sha,
    entry_step: z.string(),
    base_ref: z.string(),
    base_sha: sha,
    base_tree: sha,
    branch_name: z.string(),
    worktree_path: z.string(),
    /** The configured limits at the start: later edits of the configuration do not affect the run. */
    defaults: z.strictObject({
      timeout_ms: z.number(),
      idle_timeout_ms: z.number(),
      max_visits: z.int(),
      /** How long one visit of a step may stay parked in total; missing in records of earlier versions. */
      park_ms: z.number().optional(),
    }),
    inputs: z.record(z.string(), z.string()),
    /** Paths that this run must not change, in addition to those its policies forbid. */
    forbidden_paths: z.array(z.string()).optional(),
    /** A one-line title of the run; missing in version 1. */
    title: z.string().optional(),
    /** The issue that the run is for, as it was read; missing if there is none. */
    issue: z
      .strictObject({
        number: z.int().positive(),
        url: z.string(),
        repository_id: z.int(),
        /** SHA-256 of title and body. */
        digest: sha,
        author_id: z.int(),
        /** Whether the user accepted it with `--trust-issue` although its author may not write. */
        trusted_by_user: z.boolean(),
      })
      .optional(),
    /** Set if the run was started with `--no-baseline`, so that a resume skips the baseline too. */
    baseline: z.literal(false).optional(),
  }),
  setup_completed: z.strictObject({
    /** The prepared checkout: `work` for agents, `judge` for validators. */
    checkout: z.enum(['work', 'judge']),
    /** Key of the cache entry; null without a cache. */
    digest: sha.nullable(),
    cache_hit: z.boolean(),
    /** The commands that ran, in order; if the outcome is `error`, the last one failed. */
    commands: z.array(
      z.strictObject({ command: z.string(), exit_code: z.int().nullable(), duration_ms: z.number() }),
    ),
    outcome: z.enum(['completed', 'error']),
    reason: z.string().nullable(),
  }),
  baseline_recorded: z.strictObject({
    /** `unable`: the checks can't run in this environment. */
    outcome: z.enum(['green', 'red', 'unable', 'off']),
    /** Reused from an earlier run with the same base. */
    cached: z.boolean(),
    validators: z.array(
      z.strictObject({
        id: z.string(),
        ran: z.boolean(),
        /** Null for a validator that did not run. */
        outcome: outcome.nullable(),
        exit_code: z.int().nullable(),
        /** Such as `not at base`. */
        reason: z.string().nullable(),
      }),
    ),
    /** Null without a structured report. */
    cases: z
      .strictObject({
        failing: z.int().nonnegative(),
        passing: z.int().nonnegative(),
        total: z.int().nonnegative(),
      })
      .nullable(),
    reason: z.string().nullable(),
  }),
  /** Information for the user that is not a policy violation and changes no status. */
  notice_recorded: z.strictObject({
    kind: z.enum(['checkout_changed', 'branch_left_alone', 'workspace']),
    /** The affected ref, path or branch. */
    subject: z.string(),
    /** Null if it did not exist before or has no value. */
    old: z.string().nullable(),
    /** Null if it no longer exists or has no value. */
    new: z.string().nullable(),
    message: z.string(),
    /** The ref that keeps a value that would otherwise be lost. */
    salvage_ref: z.string().nullable(),
  }),
  notification_sent: z.strictObject({
    target: z.string(),
    /** `seq` of the event that was reported. */
    for_seq: z.int().nonnegative(),
    ok: z.boolean(),
    message: z.string().nullable(),
  }),
  run_published: z.strictObject({ url: z.string(), branch: z.string(), remote: z.string().nullable() }),
  step_started: z.strictObject({
    opcode: z.enum(OPCODES),
    /** Counts visits and recovery attempts of this step together; names the evidence folder. */
    attempt: z.int().positive(),
    visit: z.int().positive(),
    recovery: z.boolean(),
  }),
  runner_started: z.strictObject({
    family: z.string(),
    name: z.string(),
    attempt: z.int().positive(),
    mark: z.string(),
    snapshot: z.strictObject({ commit: sha, tree: sha }).nullable(),
    /** The number of the start within the attempt; missing for the first. */
    try: z.int().min(2).optional(),
  }),
  runner_completed: z.strictObject({
    name: z.string(),
    attempt: z.int().positive(),
    termination: z.string(),
    exit_code: z.int().nullable(),
    duration_ms: z.number(),
    usage: usageSchema.nullable(),
    /** The number of the try; missing for the first. */
    try: z.int().min(2).optional(),
    /** The class of the failure, if the agent's adapter can determine it. */
    failure: z.enum(FAILURE_CLASSES).optional(),
  }),
  step_completed: stepEnd,
  step_failed: stepEnd,
  step_waiting: z.strictObject({
    /** Null if the step waits for a time and not for approval. */
    gate: z.string().nullable(),
    attempt: z.int().positive(),
    /** `until` and `reason` are set only if the step waits for a time. */
    until: z.iso.datetime().optional(),
    reason: z.string().optional(),
  }),
  step_blocked: z.strictObject({ status: z.enum(PLANNER_STATUSES) }),
  artifact_recorded: z.strictObject({
    role: z.string(),
    path: z.string(),
    sha256: sha,
    bytes: z.int().nonnegative(),
  }),
  route_selected: z.strictObject({
    key: routeKey,
    to: z.string(),
    /** The allowed next step that the planner requested, if it differs from the route. */
    planner_next_step: z.string().nullable(),
  }),
  decision_recorded: z.strictObject({
    attempt: z.int().positive(),
    status: z.enum(PLANNER_STATUSES),
    next_step: z.string().nullable(),
    risk_flags: z.array(z.string()),
    blocker_codes: z.array(z.string()),
    reason: z.string().nullable(),
    refinement_requested: z.boolean(),
    planner: z.string(),
  }),
  policy_violation: z.strictObject({
    class: z.enum(VIOLATION_CLASSES),
    subject: z.string(),
    message: z.string(),
  }),
  golden_gate_pending: z.strictObject({ validators: z.array(z.string()), proposals: z.int().positive() }),
  gate_requested: z.strictObject({
    gate: z.string(),
    attempt: z.int().positive(),
    reason: z.string(),
    approvers: z.array(z.string()),
    timeout_ms: z.number().nullable(),
    tree: sha,
    request_sha256: sha,
  }),
  gate_approved: gateAnswer,
  gate_rejected: gateAnswer,
  gate_timed_out: gateAnswer,
  /** The comment is empty if only lines or goldens were commented on. */
  human_feedback: z.strictObject({ by: z.string(), comment: z.string(), ...typedFeedbackShape }),
  rollback_completed: z.strictObject({
    target: z.enum(['pre_run', 'pre_step']),
    commit: sha,
    tree_before: sha,
    tree_after: sha,
    salvage_ref: z.string(),
  }),
  salvage_recorded: z.strictObject({ ref: z.string(), commit: sha, reason: z.string() }),
  refinement_spent: z.strictObject({
    evaluate_step: z.string(),
    spent: z.int().positive(),
    max: z.int().positive(),
  }),
  status_updated: z.strictObject({
    note: z.string(),
    /** The bound of `limits` that a process of the step exceeded. */
    bound: z.enum(BOUND_NAMES).optional(),
  }),
  run_resumed: z.strictObject({ reason: z.string(), attempt: z.int().positive().nullable() }),
  run_cancelled: z.strictObject({ by: z.string(), reason: z.string().nullable() }),
  workflow_error: z.strictObject({ message: z.string() }),
  run_completed: z.strictObject({
    lifecycle_state: z.enum(LIFECYCLE_STATES),
    outcome: z.enum(RUN_OUTCOMES),
    termination: z.enum(TERMINATIONS),
    reason: z.string().nullable(),
    /** The final commit of the run's branch; null if unknown. */
    head_sha: sha.nullable(),
    /** The report files of the whole run; missing in earlier versions. */
    files: z.array(z.strictObject({ path: z.string(), sha256: z.string() })).optional(),
  }),
} as const;

export type EventType = keyof typeof eventPayloads;
export type EventPayload<T extends EventType> = z.infer<(typeof eventPayloads)[T]>;

/** An event as created by the kernel or the runtime, without a timestamp and sequence number. */
export type EventDraft = {
  [T in EventType]: {
    readonly event_type: T;
    readonly step_id: string | null;
    readonly payload: EventPayload<T>;
  };
}[EventType];

/** `prev` of the first entry of a hash chain: the events of a run and the work journal. */
export const FIRST_PREV = '0'.repeat(64);

/** An event as stored in `events.ndjson`. */
export type RunEvent = EventDraft & {
  readonly seq: number;
  readonly timestamp: string;
  readonly run_id: string;
  /** SHA-256 of the previous line; `FIRST_PREV` on the first. */
  readonly prev: string;
};

const envelope = {
  seq: z.int().nonnegative(),
  timestamp: z.iso.datetime(),
  run_id: z.string(),
  step_id: z.string().nullable(),
  prev: z.string().regex(/^[0-9a-f]{64}$/),
};

function createEventSchema(type: EventType) {
  return z.strictObject({ ...envelope, event_type: z.literal(type), payload: eventPayloads[type] });
}

const eventSchemas = (Object.keys(eventPayloads) as EventType[]).map(createEventSchema);

export const runEventSchema = z.discriminatedUnion(
  'event_type',
  eventSchemas as [ReturnType<typeof createEventSchema>, ...ReturnType<typeof createEventSchema>[]],
);

export const EVENT_TYPES = Object.keys(eventPayloads) as readonly EventType[];

const ADDED_IN_VERSION_2: readonly EventType[] = [
  'setup_completed',
  'baseline_recorded',
  'notice_recorded',
  'notification_sent',
  'run_published',
];

/** Whether an event type exists in a schema version; each version has a closed list. */
export function isEventTypeOf(schemaVersion: number, type: EventType): boolean {
  return schemaVersion >= 2 || !ADDED_IN_VERSION_2.includes(type);
}

/** The only events allowed after the end of a run. They change neither its outcome nor its state. */
export function mayFollowEnd(type: EventType): type is 'notification_sent' | 'run_published' {
  return type === 'notification_sent' || type === 'run_published';
}
