import type { RunEvent } from '../../../../contracts/run/event.ts';
import type { JournalEntry } from '../../../../contracts/work/work-event.ts';
import type { ShortId } from '../../../../overview/short-ids.ts';
import type { RunObserver } from '../../../../runtime/run-context.ts';
import type { RoleSubject } from '../../../../work/engine/role.ts';
import type { WorkState } from '../../../../work/items/state.ts';
import {
  formatDuration,
  printable,
  printLines,
  SPINNER,
  SPINNER_MS,
  stderrOf,
  type Terminal,
} from '../terminal.ts';
import { createEventLines, oneLine } from './event-lines.ts';

export interface WorkProgress {
  readonly observe: (subject: RoleSubject) => RunObserver;
  /** Sets the state before the first event, and how run ids are shortened. */
  readonly begin: (state: WorkState, short: ShortId) => void;
  readonly onEvent: (entry: JournalEntry) => void;
  /** A problem that the engine waits out. */
  readonly onProblem: (message: string) => void;
  /** The runs observed so far, so that the caller can kill their processes. */
  readonly runIds: () => readonly string[];
  readonly stop: () => void;
}

interface Row {
  readonly label: string;
  readonly step: string;
  readonly since: number;
  readonly last: string;
}

/** One line per event of an item; on a terminal also a live line per item that an agent works on. */
export function createWorkProgress(terminal: Terminal): WorkProgress {
  const rows = new Map<string, Row>();
  const runIds = new Set<string>();
  let renderEvent: ((entry: JournalEntry) => string | null) | null = null;
  let drawn = 0;
  let frame = 0;
  const clear = () => {
    if (drawn > 0) terminal.err(`\u001b[${drawn}A\r\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    if (!terminal.live) return;
    clear();
    frame = (frame + 1) % SPINNER.length;
    const lines = [...rows.values()].map((row) => liveLine(terminal, SPINNER[frame] ?? '', row));
    terminal.err(lines.map((line) => `${line}\n`).join(''));
    drawn = lines.length;
  };
  const print = (line: string) => {
    clear();
    printLines(stderrOf(terminal), [line]);
    draw();
  };
  const timer = terminal.live ? setInterval(draw, SPINNER_MS) : null;
  timer?.unref();
  return {
    observe: (subject) => {
      const key = subject.role === 'planner' ? 'plan' : subject.item.item.id;
      const label = `${key.padEnd(5)} ${subject.role}`;
      return {
        onLine: (_step, line) => {
          const row = rows.get(key);
          if (row !== undefined) rows.set(key, { ...row, last: line });
        },
        onEvents: (events, view) => {
          runIds.add(view.runId);
          for (const event of events) {
            if (event.event_type === 'step_started')
              rows.set(key, { label, step: event.step_id ?? '', since: Date.now(), last: '' });
            const wait = describeWait(event);
            if (wait === null) continue;
            rows.delete(key);
            print(`${terminal.paint.yellow('?')} ${key.padEnd(5)} ${oneLine(wait)}`);
          }
          if (view.end !== null) rows.delete(key);
        },
      };
    },
    begin: (state, short) => {
      renderEvent = createEventLines(terminal.paint, state, short);
    },
    onEvent: (entry) => {
      if (isRejectedUserCommand(entry)) return;
      const line = renderEvent?.(entry) ?? null;
      if (line !== null) print(line);
    },
    onProblem: (message) => print(`${terminal.paint.yellow('!')} ${oneLine(message)}`),
    runIds: () => [...runIds],
    stop: () => {
      if (timer !== null) clearInterval(timer);
      rows.clear();
      clear();
    },
  };
}

/** Why a run stops for a while; null if it does not. */
function describeWait(event: RunEvent): string | null {
  if (event.event_type === 'gate_requested')
    return `waits for approval: conductor approve ${event.run_id} (${event.payload.reason})`;
  if (event.event_type !== 'step_waiting' || event.payload.until === undefined) return null;
  return `parked until ${event.payload.until}: ${event.payload.reason ?? ''}`;
}

/** Whether a user's command was refused or failed, which the command itself reports. */
function isRejectedUserCommand({ event }: JournalEntry): boolean {
  return (event.type === 'command_refused' || event.type === 'command_failed') && event.by !== 'engine';
}

function liveLine({ paint, columns }: Terminal, frame: string, { label, step, since, last }: Row): string {
  const head = `${frame} ${label}  ${step}  ${formatDuration(Date.now() - since)}`;
  const room = columns() - head.length - 3;
  const tail = room > 8 && last !== '' ? `  ${oneLine(printable(last)).slice(0, room)}` : '';
  return `${paint.blue(head.slice(0, columns() - 1))}${paint.dim(tail)}`;
}
