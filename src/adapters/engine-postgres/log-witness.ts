import { parseLog } from '../../node/event-lines.ts';
import type { RunDirectory } from '../../ports/run-store.ts';
import type { OpenEngine } from './open-engine.ts';
import { EVENTS_FILE } from './record-files.ts';
import { describeLoss } from './run-log.ts';
import { joinLines } from './run-rows.ts';

/**
 * Throws `LogWentBack` if the database has lost events of a run that this process has seen, or that this machine has a
 * copy of: a copy only has events that the database had acknowledged.
 */
export async function expectNotBehind(
  { seen }: Pick<OpenEngine, 'seen'>,
  directory: Pick<RunDirectory, 'runId' | 'read'>,
  lines: readonly string[],
): Promise<void> {
  const { runId } = directory;
  expectAllSeen(seen, runId, lines.length);
  const copy = await directory.read(EVENTS_FILE);
  if (copy === null) return;
  const complete = copy.slice(0, copy.lastIndexOf('\n') + 1);
  if (joinLines(lines).startsWith(complete)) return;
  const parsed = parseLog(Buffer.from(complete));
  // A damaged copy proves nothing.
  if (!parsed.ok) return;
  const { seq } = parsed.end;
  throw describeLoss(
    runId,
    seq,
    lines.length < seq ? `${lines.length} are left` : 'other events have their place',
  );
}

/** Throws `LogWentBack` if this process has seen more events of the run. */
export function expectAllSeen(seen: OpenEngine['seen'], runId: string, count: number): void {
  const before = seen.get(runId) ?? 0;
  if (count < before) throw describeLoss(runId, before, `${count} are left`);
  noteSeen(seen, runId, count);
}

export function noteSeen(seen: OpenEngine['seen'], runId: string, count: number): void {
  seen.set(runId, Math.max(seen.get(runId) ?? 0, count));
}
