import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { EventDraft, RunEvent } from '../../contracts/event.ts';
import { runEventSchema } from '../../contracts/event.ts';
import type { Clock } from '../../ports/clock.ts';
import { isCode } from './atomic-file.ts';

export const EVENTS_FILE = 'events.ndjson';
export const FIRST_PREV = '0'.repeat(64);

export type LogReading =
  | {
      readonly ok: true;
      readonly events: readonly RunEvent[];
      /** Length of the whole lines; what follows is torn. */
      readonly soundBytes: number;
      readonly torn: Uint8Array;
      readonly head: string;
    }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Null when the file is not there. */
export async function readLog(path: string): Promise<LogReading | null> {
  try {
    return parseLog(await readFile(path));
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * A last line without its line feed is what a crash in the middle of a write leaves: it is torn and does
 * not count. Anything else that does not parse or does not chain is corruption.
 */
function parseLog(content: Uint8Array): LogReading {
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const events: RunEvent[] = [];
  let prev = FIRST_PREV;
  let start = 0;
  for (let end = buffer.indexOf(10); end !== -1; end = buffer.indexOf(10, start)) {
    const line = buffer.subarray(start, end);
    const event = parseLine(line);
    const number = events.length + 1;
    if (typeof event === 'string') return { ok: false, line: number, message: event };
    if (event.seq !== number - 1)
      return { ok: false, line: number, message: `sequence number ${event.seq} where ${number - 1} is due` };
    if (event.prev !== prev)
      return { ok: false, line: number, message: 'the line does not chain to the one before it' };
    events.push(event);
    prev = digestLine(line);
    start = end + 1;
  }
  return { ok: true, events, soundBytes: start, torn: buffer.subarray(start), head: prev };
}

function parseLine(line: Uint8Array): RunEvent | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
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

function digestLine(line: Uint8Array | string): string {
  return createHash('sha256').update(line).digest('hex');
}

export interface LogWriter {
  readonly append: (drafts: readonly EventDraft[]) => Promise<readonly RunEvent[]>;
  readonly close: () => Promise<void>;
}

/** Opens the log behind its sound part; a torn tail has to be set aside before. */
export async function openLog(
  path: string,
  runId: string,
  from: { readonly seq: number; readonly head: string },
  clock: Clock,
): Promise<LogWriter> {
  const handle: FileHandle = await open(path, 'a');
  let { seq, head } = from;
  return {
    append: async (drafts) => {
      if (drafts.length === 0) return [];
      const timestamp = clock.now().toISOString();
      const events: RunEvent[] = [];
      let text = '';
      for (const draft of drafts) {
        const event = { seq, timestamp, run_id: runId, ...draft, prev: head } as RunEvent;
        const line = JSON.stringify(event);
        head = digestLine(line);
        seq += 1;
        text += `${line}\n`;
        events.push(event);
      }
      await handle.appendFile(text);
      await handle.datasync();
      return events;
    },
    close: () => handle.close(),
  };
}
