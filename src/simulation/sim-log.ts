import { type EventDraft, FIRST_PREV, mayFollowEnd, type RunEvent } from '../contracts/run/event.ts';
import { sha256Hex } from '../node/sha256.ts';

export type SimLogReading =
  | {
      readonly ok: true;
      readonly events: readonly RunEvent[];
      /** The complete lines; the rest of the file is an unfinished line. */
      readonly completeText: string;
      readonly head: string;
    }
  | { readonly ok: false; readonly line: number; readonly message: string };

/**
 * Checks that lines are numbered and chained, and that a run ends once. The schema of events is not checked.
 */
export function readSimLog(text: string): SimLogReading {
  const completeText = text.slice(0, text.lastIndexOf('\n') + 1);
  const events: RunEvent[] = [];
  let head = FIRST_PREV;
  let ended = false;
  for (const line of completeText.split('\n').slice(0, -1)) {
    const number = events.length + 1;
    const parsed = parseLine(line);
    if (parsed === null) return { ok: false, line: number, message: 'the line is not JSON' };
    if (parsed.event.seq !== events.length || parsed.event.prev !== head)
      return { ok: false, line: number, message: 'the line does not chain to the one before it' };
    if (ended && !mayFollowEnd(parsed.event.event_type))
      return { ok: false, line: number, message: `${parsed.event.event_type} after the end of the run` };
    ended ||= parsed.event.event_type === 'run_completed';
    events.push(parsed.event);
    head = parsed.digest;
  }
  return { ok: true, events, completeText, head };
}

interface ParsedLine {
  readonly event: RunEvent;
  readonly digest: string;
}

/** A cache, because thousands of simulated runs share most of their lines. */
const parsedLines = new Map<string, ParsedLine>();
const MAX_PARSED_LINES = 20_000;

function parseLine(line: string): ParsedLine | null {
  const known = parsedLines.get(line);
  if (known !== undefined) return known;
  try {
    const read = { event: JSON.parse(line) as RunEvent, digest: sha256Hex(line) };
    if (parsedLines.size >= MAX_PARSED_LINES) parsedLines.clear();
    parsedLines.set(line, read);
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

export function formatLogLines(
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
    head = sha256Hex(line);
    events.push(event);
    lines.push(`${line}\n`);
  }
  return { events, lines, head };
}
