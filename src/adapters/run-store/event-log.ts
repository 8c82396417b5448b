import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { EventDraft, RunEvent } from '../../contracts/run/event.ts';
import {
  formatEvents,
  type LogEnd,
  type LogReading,
  parseEventLine,
  parseLog,
} from '../../node/event-lines.ts';
import { sha256Hex } from '../../node/sha256.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Flush } from '../../ports/run-store.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { messageOf } from '../../text/error-message.ts';
import type { CommittedFile } from './group-commit.ts';
import { readRegularFile } from './regular-file.ts';

export const EVENTS_FILE = 'events.ndjson';

/** Null if the file is missing. */
export async function readLog(path: string): Promise<LogReading | null> {
  try {
    return parseLog(await readRegularFile(path));
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return null;
    throw new ExpectedFailure(`${path} can't be read: ${messageOf(error)}`);
  }
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
      const { events, lines, end: next } = formatEvents(runId, end, drafts, clock.now().toISOString());
      const text = `${lines.join('\n')}\n`;
      await (flush === 'now' ? file.append(text) : file.write(text));
      end = next;
      return events;
    },
    close: () => file.close(),
  };
}

/**
 * Selects the journal lines (in any order) that a log lacks. Returns the text to append; empty if the log has them all.
 */
export function missingLines(lines: readonly string[], from: LogEnd): string {
  const parsed = lines.map((line) => ({ line, event: parseEventLine(Buffer.from(line)) }));
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
