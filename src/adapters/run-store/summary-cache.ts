import { appendFile, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { hasEnded, runSummarySchema } from '../../contracts/run/run-summary.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { KeptSummary, RunSummaries } from '../../ports/run-summaries.ts';
import { parseJson } from '../../text/json.ts';
import { EVENTS_FILE } from './event-log.ts';
import { mapInBatches, readTextIfPresent } from './run-index.ts';

/** A line for each ended run: its summary, and how long its log was. Missing lines are rebuilt from the logs. */
const SUMMARIES_FILE = 'summaries.ndjson';
/** How many outdated lines the file may have before it is written anew. */
const OUTDATED_LINES = 64;

const lineSchema = z.strictObject({ log_bytes: z.int().positive(), summary: runSummarySchema });

/** Keeps summaries beside the index of runs. Invalid lines, and those of other versions, count as missing. */
export function createSummaryCache(runsDir: string): RunSummaries {
  const path = join(runsDir, SUMMARIES_FILE);
  let lines = 0;
  const read = async () => {
    const found = (await readTextIfPresent(path)).split('\n').filter((line) => line !== '');
    lines = found.length;
    return new Map(found.flatMap(parseLine).map((kept) => [kept.summary.run_id, kept]));
  };
  return {
    read,
    keep: async (added, runIds) => {
      if (added.length === 0) return;
      // If the file can't be written, the next report is slower, but still right.
      await writeLines(
        path,
        added,
        lines > runIds.length + OUTDATED_LINES ? await read() : null,
        runIds,
      ).catch(() => {});
    },
    logSizes: async (runIds) => {
      const sizes = await mapInBatches(runIds, async (runId): Promise<[string, number][]> => {
        const found = await lstat(join(runsDir, runId, EVENTS_FILE)).catch(() => null);
        return found?.isFile() === true ? [[runId, found.size]] : [];
      });
      return new Map(sizes.flat());
    },
  };
}

/** With `kept`, writes the file anew, without lines of runs that no longer exist. */
async function writeLines(
  path: string,
  added: readonly KeptSummary[],
  kept: ReadonlyMap<string, KeptSummary> | null,
  runIds: readonly string[],
): Promise<void> {
  // A line that a crash tore has no line feed: the first new line must not become a part of it.
  if (kept === null) return appendFile(path, `\n${formatLines(added)}`);
  const all = new Map([...kept, ...added.map((each) => [each.summary.run_id, each] as const)]);
  const existing = new Set(runIds);
  const current = [...all.values()].filter(({ summary }) => existing.has(summary.run_id));
  await writeAtomically(path, formatLines(current));
}

function formatLines(kept: readonly KeptSummary[]): string {
  return kept
    .map(({ logBytes, summary }) => `${JSON.stringify({ log_bytes: logBytes, summary })}\n`)
    .join('');
}

function parseLine(line: string): KeptSummary[] {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success || !hasEnded(parsed.data.summary)) return [];
  return [{ logBytes: parsed.data.log_bytes, summary: parsed.data.summary }];
}
