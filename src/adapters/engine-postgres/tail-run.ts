import { ExpectedFailure } from '../../contracts/expected-failure.ts';
import type { RunEvent } from '../../contracts/run/event.ts';
import { parseEventLine } from '../../node/event-lines.ts';
import type { TailRequest } from '../../ports/engine.ts';
import { isConnectionLost } from './database.ts';
import { expectAllSeen } from './log-witness.ts';
import type { OpenEngine } from './open-engine.ts';
import { readLines, readRunRow } from './run-rows.ts';

/** How often a tail looks whether the log has grown. A listener would not work through a transaction pooler. */
const TAIL_MS = 200;
/** While the database doesn't answer. */
const RETRY_MS = 1000;

export async function* tailRun(
  { database, repository, clock, seen }: OpenEngine,
  runId: string,
  { from, signal }: TailRequest,
): AsyncGenerator<readonly RunEvent[]> {
  let next = from;
  while (!signal.aborted) {
    try {
      const row = await readRunRow(database.send, repository, runId);
      if (row !== null) {
        expectAllSeen(seen, runId, row.seq);
        const lines = row.seq > next ? await readLines(database.send, runId, next) : [];
        if (lines.length > 0) yield lines.map((line, index) => parseRecorded(runId, next + index, line));
        next += lines.length;
        if (row.has_ended && row.driver === null && next >= row.seq) return;
      }
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
      await clock.sleep(RETRY_MS, signal);
      continue;
    }
    await clock.sleep(TAIL_MS, signal);
  }
}

function parseRecorded(runId: string, seq: number, line: string): RunEvent {
  const event = parseEventLine(Buffer.from(line));
  if (typeof event !== 'string' && event.seq === seq) return event;
  throw new ExpectedFailure(`the log of run ${runId} is damaged in line ${seq + 1}`);
}
