import { createHash } from 'node:crypto';
import { type EventDraft, mayFollowEnd, type RunEvent } from '../contracts/run/event.ts';

export type SimLogReading =
  | {
      readonly ok: true;
      readonly events: readonly RunEvent[];
      /** The complete lines; the rest is torn. */
      readonly sound: string;
      readonly head: string;
    }
  | { readonly ok: false; readonly line: number; readonly message: string };

export const FIRST_PREV = '0'.repeat(64);

/**
 * Checks that lines are numbered and chained, and that a run ends once. The schema of events is not checked.
 */
export function readSimLog(text: string): SimLogReading {
  const sound = text.slice(0, text.lastIndexOf('\n') + 1);
  const events: RunEvent[] = [];
  let head = FIRST_PREV;
  let ended = false;
  for (const line of sound.split('\n').slice(0, -1)) {
    const number = events.length + 1;
    const known = readLine(line);
    if (known === null) return { ok: false, line: number, message: 'the line is not JSON' };
    if (known.event.seq !== events.length || known.event.prev !== head)
      return { ok: false, line: number, message: 'the line does not chain to the one before it' };
    if (ended && !mayFollowEnd(known.event.event_type))
      return { ok: false, line: number, message: `${known.event.event_type} after the end of the run` };
    ended ||= known.event.event_type === 'run_completed';
    events.push(known.event);
    head = known.digest;
  }
  return { ok: true, events, sound, head };
}

interface KnownLine {
  readonly event: RunEvent;
  readonly digest: string;
}

/** A cache, because thousands of simulated runs share most of their lines. */
const knownLines = new Map<string, KnownLine>();
const MAX_KNOWN_LINES = 20_000;

function readLine(line: string): KnownLine | null {
  const known = knownLines.get(line);
  if (known !== undefined) return known;
  try {
    const read = { event: JSON.parse(line) as RunEvent, digest: digestOf(line) };
    if (knownLines.size >= MAX_KNOWN_LINES) knownLines.clear();
    knownLines.set(line, read);
    return read;
  } catch {
    return null;
  }
}

export interface SimLines {
  readonly events: readonly RunEvent[];
  /** Each with its line feed. */
  readonly lines: readonly string[];
  readonly head: string;
}

export function writeLines(
  drafts: readonly EventDraft[],
  from: { readonly seq: number; readonly head: string; readonly runId: string; readonly timestamp: string },
): SimLines {
  const events: RunEvent[] = [];
  const lines: string[] = [];
  let { head } = from;
  for (const draft of drafts) {
    const seq = from.seq + events.length;
    const event = { seq, timestamp: from.timestamp, run_id: from.runId, ...draft, prev: head } as RunEvent;
    const line = JSON.stringify(event);
    head = digestOf(line);
    events.push(event);
    lines.push(`${line}\n`);
  }
  return { events, lines, head };
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
