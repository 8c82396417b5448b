import { appendFile, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { hasEnded, runSummarySchema } from '../../contracts/run/run-summary.ts';
import { writeAtomically } from '../../node/atomic-file.ts';
import type { KeptSummary, RunSummaries } from '../../ports/run-summaries.ts';
import { hasErrorCode } from '../../text/error-code.ts';
import { parseJson } from '../../text/json.ts';
import { EVENTS_FILE } from './event-log.ts';
import { openRegularFile } from './regular-file.ts';
import { mapInBatches } from './run-index.ts';

/** A line for each ended run: its summary, and how long its log was. Missing lines are rebuilt from the logs. */
const SUMMARIES_FILE = 'summaries.ndjson';
/** How many outdated lines the file may have before it is written anew. */
const OUTDATED_LINES = 64;

const lineSchema = z.strictObject({ log_bytes: z.int().positive(), summary: runSummarySchema });

/** Keeps summaries beside the index of runs. Invalid lines, and those of other versions, count as missing. */
export function createSummaryCache(runsDir: string): RunSummaries {
  const path = join(runsDir, SUMMARIES_FILE);
  let lines = 0;
  const visit = async (take: (kept: KeptSummary) => void) => {
    lines = await readLines(path, (line) => parseLine(line).forEach(take));
  };
  return {
    visit,
    keep: async (added, runIds) => {
      if (added.length === 0) return;
      // If the file can't be written, the next report is slower, but still right.
      await (lines > runIds.length + OUTDATED_LINES
        ? replaceLines(path, added, visit, runIds)
        : // A line that a crash tore has no line feed: the first new line must not become a part of it.
          appendFile(path, `\n${formatLines(added)}`)
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

/** Reads line by line, because the summaries of ten thousand runs take 25 MB. Returns the number of lines. */
async function readLines(path: string, take: (line: string) => void): Promise<number> {
  const file = await openRegularFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR')) return null;
    throw error;
  });
  if (file === null) return 0;
  let lines = 0;
  try {
    for await (const line of file.readLines({ autoClose: false })) {
      if (line === '') continue;
      lines += 1;
      take(line);
    }
  } finally {
    await file.close();
  }
  return lines;
}

/** Writes the file anew, without lines of runs that no longer exist. */
async function replaceLines(
  path: string,
  added: readonly KeptSummary[],
  visit: RunSummaries['visit'],
  runIds: readonly string[],
): Promise<void> {
  const all = new Map<string, KeptSummary>();
  await visit((kept) => void all.set(kept.summary.run_id, kept));
  for (const kept of added) all.set(kept.summary.run_id, kept);
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
