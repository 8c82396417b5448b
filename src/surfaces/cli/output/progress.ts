import { attemptName } from '../../../app/runs/open-run.ts';
import { ownValue } from '../../../contracts/own-value.ts';
import type { RunEvent } from '../../../contracts/run/event.ts';
import type { Plan } from '../../../kernel/plan.ts';
import { noticeText } from '../../../runtime/record/preparation-text.ts';
import type { BaselineView, RunView, StepView } from '../../../runtime/record/run-view.ts';
import type { RunObserver } from '../../../runtime/run-context.ts';
import { shorten } from '../../../text/shorten.ts';
import { flakyText } from './flaky-text.ts';
import { baselineLine, setupLine } from './preparation-lines.ts';
import { formatDuration, type Paint, printable, SPINNER, SPINNER_MS, type Terminal } from './terminal.ts';

export interface Progress extends RunObserver {
  /** Removes the live line. */
  readonly stop: () => void;
}

/** Call this before printing anything else on the same terminal; the next frame draws the line again. */
export function clearLiveLine(terminal: Pick<Terminal, 'live' | 'err'>): void {
  if (terminal.live) terminal.err('\r\u001b[2K');
}

/** One line per finished step; on a terminal also a live line with the step, its runner, its time and its last output. */
export function createProgress(terminal: Terminal, planOf: () => Plan | null): Progress {
  let active: { readonly step: StepView; readonly since: number } | null = null;
  let runner = '';
  let lastLine = '';
  let frame = 0;
  const clear = () => clearLiveLine(terminal);
  const draw = () => {
    if (!terminal.live || active === null) return;
    frame = (frame + 1) % SPINNER.length;
    const elapsed = formatDuration(Date.now() - active.since);
    const head = `${SPINNER[frame]} ${attemptName(active.step)}  ${runner}  ${elapsed}`;
    const room = terminal.columns() - head.length - 4;
    const tail = room > 8 && lastLine !== '' ? `  ${printable(lastLine).slice(0, room)}` : '';
    terminal.err(`\r\u001b[2K${terminal.paint.blue(head)}${terminal.paint.dim(tail)}`);
  };
  const timer = terminal.live ? setInterval(draw, SPINNER_MS) : null;
  timer?.unref();
  return {
    onLine: (_stepId, line) => {
      lastLine = line;
    },
    onNote: (text) => {
      clear();
      terminal.err(`${terminal.paint.yellow('note:')} ${printable(text)}\n`);
    },
    onEvents: (events, view) => {
      for (const event of events) {
        if (event.event_type === 'step_started') {
          const step = view.steps.find(
            (candidate) => candidate.stepId === event.step_id && candidate.attempt === event.payload.attempt,
          );
          active = step === undefined ? null : { step, since: Date.now() };
          runner = step === undefined ? '' : runnerOf(planOf(), step);
          lastLine = '';
        }
        // The user may be prompted now: the live line must not overwrite the prompt.
        if (event.event_type === 'gate_requested' || event.event_type === 'step_waiting') active = null;
        const line = eventLine(terminal, event, view);
        if (line === null) continue;
        clear();
        terminal.err(`${line}\n`);
      }
      draw();
    },
    stop: () => {
      if (timer !== null) clearInterval(timer);
      active = null;
      clear();
    },
  };
}

function runnerOf(plan: Plan | null, step: StepView): string {
  const planned = plan === null ? undefined : ownValue(plan.stepsById, step.stepId);
  switch (planned?.opcode) {
    case 'RUN_AGENT':
      return planned.agent;
    case 'RUN_VALIDATION':
      return planned.validators.map((validator) => validator.id).join(', ');
    case 'EVALUATE':
      return 'planner';
    default:
      return step.opcode.toLowerCase();
  }
}

function eventLine(terminal: Terminal, event: RunEvent, view: RunView): string | null {
  const { paint } = terminal;
  switch (event.event_type) {
    case 'run_resumed':
      return paint.dim(`↻ resumed${event.step_id === null ? '' : ` at ${event.step_id}`}`);
    case 'setup_completed':
      return (event.payload.outcome === 'error' ? paint.red : paint.dim)(setupLine(event.payload));
    case 'baseline_recorded':
      return baselineColour(paint, event.payload.outcome)(baselineLine(event.payload));
    case 'notice_recorded':
      return paint.yellow(
        `! ${printable(noticeText({ ...event.payload, stepId: event.step_id, seq: event.seq }))}`,
      );
    case 'step_completed':
    case 'step_failed':
    case 'step_blocked': {
      const step = view.steps.findLast((candidate) => candidate.stepId === event.step_id);
      return step === undefined || step.opcode === 'STOP'
        ? null
        : stepLine(terminal, step, terminal.live ? { width: terminal.columns() } : {});
    }
    case 'policy_violation':
      return paint.red(`! ${event.payload.class}: ${printable(event.payload.subject)}`);
    case 'gate_requested':
      return paint.yellow(`? ${event.step_id} waits for approval: ${printable(event.payload.reason)}`);
    case 'step_waiting':
      return event.payload.until === undefined
        ? null
        : paint.yellow(
            `… ${event.step_id} waits until ${event.payload.until}: ${printable(event.payload.reason ?? '')}`,
          );
    case 'status_updated':
      return paint.yellow(`! ${printable(event.payload.note)}`);
    case 'workflow_error':
      return paint.red(`✗ workflow error: ${event.payload.message}`);
    default:
      return null;
  }
}

function baselineColour(paint: Paint, outcome: BaselineView['outcome']): (text: string) => string {
  if (outcome === 'unable') return paint.red;
  return outcome === 'red' ? paint.yellow : paint.dim;
}

interface StepLook {
  readonly mark: string;
  readonly colour: (text: string) => string;
}

/** `✓ implement@2  completed  1.2 s`, with the reason if there is one. `unended` labels a step without an end. */
export function stepLine(
  { paint }: Pick<Terminal, 'paint'>,
  step: StepView,
  { width = Number.POSITIVE_INFINITY, unended = 'interrupted' } = {},
): string {
  const name = attemptName(step);
  const flaky = flakyText(step.flaky);
  const { mark, colour } = lookOf(paint, step.termination, flaky !== null);
  const time =
    step.endedAt === null ? '' : formatDuration(Date.parse(step.endedAt) - Date.parse(step.startedAt));
  const room = width - Math.max(name.length, 18) - 28;
  const details = [flaky, step.reason].filter((text) => text !== null).join('; ');
  const [firstLine = ''] = printable(details).split('\n');
  const reason = details === '' ? '' : paint.dim(`  ${shorten(firstLine, room)}`);
  const outcome = step.termination ?? unended;
  if (time === '' && reason === '') return `${colour(mark)} ${name.padEnd(18)} ${colour(outcome)}`;
  const how = colour(outcome.padEnd(14));
  return `${colour(mark)} ${name.padEnd(18)} ${how} ${paint.dim(time.padStart(8))}${reason}`;
}

function lookOf(paint: Paint, how: StepView['termination'], isFlaky: boolean): StepLook {
  if (how === 'completed' && isFlaky) return { mark: '~', colour: paint.yellow };
  switch (how) {
    case 'completed':
    case 'success':
    case 'gate_approved':
      return { mark: '✓', colour: paint.green };
    case 'partial':
    case 'needs_human':
    case 'gate_timed_out':
      return { mark: '~', colour: paint.yellow };
    case null:
      return { mark: '…', colour: paint.blue };
    default:
      return { mark: '✗', colour: paint.red };
  }
}
