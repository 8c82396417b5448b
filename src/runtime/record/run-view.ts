import type { EventPayload, RunEvent, ValidatorEnd } from '../../contracts/run/event.ts';
import type { AgentStart } from '../../contracts/run/run-summary.ts';
import type { Opcode, Termination } from '../../contracts/vocabulary.ts';
import { evolve } from '../../kernel/evolve.ts';
import { INITIAL_STATE, type RunEnd, type RunState } from '../../kernel/state.ts';
import { foldAgentStarts } from '../../overview/agent-starts.ts';

/** Everything that derived files and surfaces show about a run, folded from its events. */
export interface RunView {
  readonly runId: string;
  readonly started: EventPayload<'run_started'>;
  /** Null for runs of schema version 1, which have no title. */
  readonly title: string | null;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly endedAt: string | null;
  readonly state: RunState;
  readonly steps: readonly StepView[];
  /** Starts of agents and planners, in order, without their models and prompts. */
  readonly starts: readonly AgentStart[];
  readonly lastCompletedStepId: string | null;
  readonly runnerFamily: string | null;
  readonly routes: readonly RouteView[];
  readonly lastDecision: DecisionView | null;
  readonly awaiting: AwaitingView | null;
  readonly violations: readonly ViolationView[];
  /** Every setup of a checkout, in order: those of the preparation, then those of the judge checkout. */
  readonly setup: readonly SetupView[];
  /** Null until the baseline is recorded. */
  readonly baseline: BaselineView | null;
  readonly notices: readonly NoticeView[];
  /** Notifications that were sent or failed, in order. */
  readonly notifications: readonly NotificationView[];
  /** Answers to gates, in order, without timeouts. */
  readonly answers: readonly AnswerView[];
  readonly end: RunEnd | null;
  /** The pull request with the run's work; null if it was not published. */
  readonly published: EventPayload<'run_published'> | null;
  /** The commit that the run ended with. */
  readonly headSha: string | null;
}

export interface StepView {
  readonly stepId: string;
  readonly opcode: Opcode;
  readonly attempt: number;
  readonly visit: number;
  readonly recovery: boolean;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** How it ended: an outcome, a planner status or a gate event. Null while it runs or if it was interrupted. */
  readonly termination: Termination | null;
  readonly reason: string | null;
  /** Whether it waits for a time; then the step is visited again. */
  readonly parked: boolean;
  /** Validators that passed, or whose cases passed, only on a retry. */
  readonly flaky: readonly FlakyView[];
}

export interface FlakyView {
  readonly id: string;
  /** Whether the validator itself failed first, and not only some of its cases. */
  readonly itself: boolean;
  readonly tries: number;
  readonly cases: number;
}

export interface RouteView {
  readonly from: string;
  readonly key: string;
  readonly to: string;
}

export type DecisionView = EventPayload<'decision_recorded'> & { readonly stepId: string };

export interface AwaitingView extends EventPayload<'gate_requested'> {
  readonly stepId: string;
  readonly requestedAt: string;
  readonly expiresAt: string | null;
}

/** A step that waits until a given time. */
export interface ParkedView {
  readonly stepId: string;
  readonly until: string;
  readonly reason: string;
}

export type ViolationView = EventPayload<'policy_violation'> & {
  readonly stepId: string | null;
  readonly seq: number;
};

export type SetupView = EventPayload<'setup_completed'>;
export type BaselineView = EventPayload<'baseline_recorded'>;

export type NoticeView = EventPayload<'notice_recorded'> & {
  /** The step that ran at that time; null if none did. */
  readonly stepId: string | null;
  readonly seq: number;
};

export type NotificationView = EventPayload<'notification_sent'>;

export type AnswerView = EventPayload<'gate_approved'> & {
  readonly stepId: string;
  readonly answer: 'gate_approved' | 'gate_rejected';
};

interface Draft extends Mutable<RunView> {
  steps: StepView[];
  starts: AgentStart[];
  routes: RouteView[];
  violations: ViolationView[];
  setup: SetupView[];
  notices: NoticeView[];
  notifications: NotificationView[];
  answers: AnswerView[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Folds events into a view, one at a time. `current` is null until the run has started. */
export interface RunViewer {
  readonly add: (event: RunEvent) => void;
  readonly current: () => RunView | null;
}

export function createRunViewer(): RunViewer {
  let view: Draft | null = null;
  return {
    add: (event) => {
      view ??=
        event.event_type === 'run_started' ? startOf(event.run_id, event.timestamp, event.payload) : null;
      if (view === null) return;
      view.state = evolve(view.state, event);
      if (view.endedAt === null) view.updatedAt = event.timestamp;
      foldStep(view.steps, event);
      foldAgentStarts(view.starts, event, view.state.stage, () => ({ model: null, prompt: null }));
      foldRest(view, event);
    },
    current: () => view,
  };
}

/** Null if the record has no `run_started`. */
export function viewRun(events: readonly RunEvent[]): RunView | null {
  const viewer = createRunViewer();
  for (const event of events) viewer.add(event);
  return viewer.current();
}

/** Null if the run isn't parked. */
export function findParked({ state: { stage } }: Pick<RunView, 'state'>): ParkedView | null {
  return stage.kind === 'parked' ? { stepId: stage.stepId, until: stage.until, reason: stage.reason } : null;
}

/** The latest ended attempt at a step with this opcode. */
export function lastEnded(steps: readonly StepView[], opcode: Opcode): StepView | null {
  return steps.findLast((step) => step.opcode === opcode && step.termination !== null) ?? null;
}

function startOf(runId: string, startedAt: string, started: EventPayload<'run_started'>): Draft {
  return {
    runId,
    started,
    title: started.title ?? null,
    startedAt,
    updatedAt: startedAt,
    endedAt: null,
    state: INITIAL_STATE,
    steps: [],
    starts: [],
    lastCompletedStepId: null,
    runnerFamily: null,
    routes: [],
    lastDecision: null,
    awaiting: null,
    violations: [],
    setup: [],
    baseline: null,
    notices: [],
    notifications: [],
    answers: [],
    published: null,
    headSha: null,
    end: null,
  };
}

function foldStep(steps: StepView[], event: RunEvent): void {
  const last = steps.at(-1);
  const close = (termination: Termination, reason: string | null, flaky: readonly FlakyView[] = []) => {
    if (last === undefined || last.stepId !== event.step_id) return;
    steps[steps.length - 1] = {
      ...last,
      endedAt: event.timestamp,
      termination: last.termination ?? termination,
      reason: last.reason ?? reason,
      flaky,
    };
  };
  switch (event.event_type) {
    case 'step_started':
      if (event.step_id === null) return;
      steps.push({
        stepId: event.step_id,
        ...event.payload,
        startedAt: event.timestamp,
        endedAt: null,
        termination: null,
        reason: null,
        parked: false,
        flaky: [],
      });
      return;
    case 'step_waiting':
      if (last !== undefined && event.payload.until !== undefined)
        steps[steps.length - 1] = {
          ...last,
          endedAt: event.timestamp,
          parked: true,
          reason: event.payload.reason ?? null,
        };
      return;
    case 'decision_recorded':
      close(event.payload.status, event.payload.reason);
      return;
    case 'gate_approved':
    case 'gate_rejected':
    case 'gate_timed_out':
      close(event.event_type, event.payload.comment);
      return;
    case 'step_completed':
    case 'step_failed':
      close(event.payload.outcome, event.payload.reason, event.payload.validators.flatMap(flakyOf));
      return;
    default:
      return;
  }
}

function flakyOf({ id, tries = 1, flaky, flaky_cases: cases = 0 }: ValidatorEnd): FlakyView[] {
  const itself = flaky === true;
  return itself || cases > 0 ? [{ id, itself, tries, cases }] : [];
}

function foldRest(view: Draft, event: RunEvent): void {
  switch (event.event_type) {
    case 'runner_started':
      view.runnerFamily = event.payload.family;
      return;
    case 'step_completed':
    case 'step_failed':
    case 'step_blocked':
    case 'step_waiting':
      view.runnerFamily = null;
      view.lastCompletedStepId = event.step_id;
      return;
    case 'route_selected':
      view.routes.push({ from: event.step_id ?? '', key: event.payload.key, to: event.payload.to });
      return;
    case 'decision_recorded':
      view.lastDecision = { ...event.payload, stepId: event.step_id ?? '' };
      return;
    case 'policy_violation':
      view.violations.push({ ...event.payload, stepId: event.step_id, seq: event.seq });
      return;
    case 'setup_completed':
      view.setup.push(event.payload);
      return;
    case 'baseline_recorded':
      view.baseline = event.payload;
      return;
    case 'notice_recorded':
      view.notices.push({ ...event.payload, stepId: event.step_id, seq: event.seq });
      return;
    case 'notification_sent':
      view.notifications.push(event.payload);
      return;
    case 'run_published':
      view.published = event.payload;
      return;
    case 'gate_requested':
      view.awaiting = {
        ...event.payload,
        stepId: event.step_id ?? '',
        requestedAt: event.timestamp,
        expiresAt: expiryOf(event.timestamp, event.payload.timeout_ms),
      };
      return;
    case 'gate_approved':
    case 'gate_rejected':
      view.answers.push({ ...event.payload, answer: event.event_type, stepId: event.step_id ?? '' });
      view.awaiting = null;
      return;
    case 'gate_timed_out':
    case 'run_cancelled':
      view.awaiting = null;
      return;
    case 'run_completed':
      view.endedAt = event.timestamp;
      view.end = view.state.stage.kind === 'ended' ? view.state.stage.end : null;
      view.headSha = event.payload.head_sha;
      return;
    default:
      return;
  }
}

/** The latest time that `Date` can represent. */
const LATEST_TIME = 8.64e15;

function expiryOf(requestedAt: string, timeoutMs: number | null): string | null {
  if (timeoutMs === null) return null;
  return new Date(Math.min(Date.parse(requestedAt) + timeoutMs, LATEST_TIME)).toISOString();
}
