import {
  type EventDraft,
  FIRST_PREV,
  mayFollowEnd,
  type RunEvent,
  runEventSchema,
} from '../contracts/run/event.ts';
import { sha256Hex } from './sha256.ts';

/**
 * The lines of `events.ndjson`. Every engine formats and parses them here, so that a run's log is the same, byte for
 * byte, wherever it was recorded.
 */

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Where the next line of a log goes. */
export interface LogEnd {
  readonly seq: number;
  readonly head: string;
}

const LOG_START: LogEnd = { seq: 0, head: FIRST_PREV };

export type LogReading = IntactLog | { readonly ok: false; readonly line: number; readonly message: string };

export interface IntactLog {
  readonly ok: true;
  readonly events: readonly RunEvent[];
  /** Length of the complete lines; what follows is torn. */
  readonly intactBytes: number;
  /** The last complete line with its line feed; empty in an empty log. */
  readonly lastLine: Uint8Array;
  readonly torn: Uint8Array;
  readonly end: LogEnd;
}

/** The reading of a log whose first line is not written yet. */
export const EMPTY_LOG: IntactLog = {
  ok: true,
  events: [],
  intactBytes: 0,
  lastLine: new Uint8Array(),
  torn: new Uint8Array(),
  end: LOG_START,
};

export interface FormattedEvents {
  readonly events: readonly RunEvent[];
  /** Without line feeds. */
  readonly lines: readonly string[];
  readonly end: LogEnd;
}

export function formatEvents(
  runId: string,
  from: LogEnd,
  drafts: readonly EventDraft[],
  timestamp: string,
): FormattedEvents {
  const events: RunEvent[] = [];
  const lines: string[] = [];
  let { seq, head } = from;
  for (const draft of drafts) {
    const event = { seq, timestamp, run_id: runId, ...draft, prev: head } as RunEvent;
    const line = JSON.stringify(event);
    head = sha256Hex(line);
    seq += 1;
    events.push(event);
    lines.push(line);
  }
  return { events, lines, end: { seq, head } };
}

/**
 * A last line without a line feed is torn: a crash interrupted the write, and the line does not count. Any other line
 * that does not parse or does not chain is corruption.
 */
export function parseLog(content: Uint8Array): LogReading {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const events: RunEvent[] = [];
  let prev = LOG_START.head;
  let start = 0;
  let lastStart = 0;
  let ended = false;
  for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, start)) {
    const line = buffer.subarray(start, end);
    const event = parseEventLine(line);
    const number = events.length + 1;
    if (typeof event === 'string') return { ok: false, line: number, message: event };
    if (event.seq !== number - 1)
      return { ok: false, line: number, message: `sequence number ${event.seq} where ${number - 1} is due` };
    if (event.prev !== prev)
      return { ok: false, line: number, message: 'the line does not chain to the one before it' };
    if (ended && !mayFollowEnd(event.event_type))
      return { ok: false, line: number, message: `${event.event_type} after the end of the run` };
    ended ||= event.event_type === 'run_completed';
    events.push(event);
    prev = sha256Hex(line);
    lastStart = start;
    start = end + 1;
  }
  return {
    ok: true,
    events,
    intactBytes: start,
    lastLine: buffer.subarray(lastStart, start),
    torn: buffer.subarray(start),
    end: { seq: events.length, head: prev },
  };
}

/** A string says what is wrong with the line. */
export function parseEventLine(line: Uint8Array): RunEvent | string {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(line));
  } catch {
    return 'the line is not JSON';
  }
  const parsed = runEventSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return `the line is not an event: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim();
  }
  return parsed.data as RunEvent;
}
