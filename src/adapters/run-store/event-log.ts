import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import { FIRST_PREV, mayFollowEnd, runEventSchema } from '../../contracts/run/event.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Flush } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import type { CommittedFile } from './group-commit.ts';
import { readRegularFile } from './regular-file.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const EVENTS_FILE = 'events.ndjson';

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

/** Null if the file is missing. */
export async function readLog(path: string): Promise<LogReading | null> {
  try {
    return parseLog(await readRegularFile(path));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return null;
    throw new ExpectedFailure(`${path} can't be read: ${messageOf(error)}`);
  }
}

/**
 * A last line without a line feed is torn: a crash interrupted the write, and the line does not count. Any other line
 * that does not parse or does not chain is corruption.
 */
function parseLog(content: Uint8Array): LogReading {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const events: RunEvent[] = [];
  let prev = LOG_START.head;
  let start = 0;
  let lastStart = 0;
  let ended = false;
  for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, start)) {
    const line = buffer.subarray(start, end);
    const event = parseLine(line);
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

function parseLine(line: Uint8Array): RunEvent | string {
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

export interface LogWriter {
  readonly append: (drafts: readonly EventDraft[], flush?: Flush) => Promise<readonly RunEvent[]>;
  readonly close: () => Promise<void>;
}

/** Appends to the sound part of a log. The caller must cut off a torn tail first. */
export function createLogWriter(file: CommittedFile, runId: string, from: LogEnd, clock: Clock): LogWriter {
  let end = from;
  return {
    append: async (drafts, flush = 'now') => {
      if (drafts.length === 0) return [];
      const timestamp = clock.now().toISOString();
      const events: RunEvent[] = [];
      let { seq, head } = end;
      let text = '';
      for (const draft of drafts) {
        const event = { seq, timestamp, run_id: runId, ...draft, prev: head } as RunEvent;
        const line = JSON.stringify(event);
        head = sha256Hex(line);
        seq += 1;
        text += `${line}\n`;
        events.push(event);
      }
      await (flush === 'now' ? file.append(text) : file.write(text));
      end = { seq, head };
      return events;
    },
    close: () => file.close(),
  };
}

/**
 * Selects the journal lines (in any order) that a log lacks. Returns the text to append; empty if the log has them all.
 */
export function missingLines(lines: readonly string[], from: LogEnd): string {
  const parsed = lines.map((line) => ({ line, event: parseLine(Buffer.from(line)) }));
  const sound = parsed.flatMap(({ line, event }) => (typeof event === 'string' ? [] : [{ line, event }]));
  let { seq, head } = from;
  let text = '';
  for (const { line, event } of sound.sort((left, right) => left.event.seq - right.event.seq)) {
    if (event.seq !== seq || event.prev !== head) continue;
    head = sha256Hex(line);
    seq += 1;
    text += `${line}\n`;
  }
  return text;
}
