import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { createSummaryCache } from '../adapters/run-store/summary-cache.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { readGitUserName } from '../adapters/workspace/git/probe.ts';
import type { Records } from '../app/opened.ts';
import type { Config } from '../contracts/config/config.ts';
import type { RunSummaries } from '../ports/run-summaries.ts';
import { createEngine } from './engine.ts';

/** A shared engine has the logs of all machines: each one is read anew. */
const WITHOUT_SUMMARIES: RunSummaries = {
  visit: async () => {},
  keep: async () => {},
  logSizes: async (runIds) => new Map(runIds.map((runId) => [runId, 0])),
};

export async function createRecords(repoRoot: string, config: Config): Promise<Records> {
  const store = await createEngine({ repoRoot, config });
  return {
    repoRoot,
    clock: systemClock,
    store,
    summaries:
      store.kind === 'embedded'
        ? createSummaryCache(resolve(repoRoot, config.paths.runs))
        : WITHOUT_SUMMARIES,
    userName: async () => (await readGitUserName(repoRoot)) ?? userInfo().username,
    answerer: async () => findAnswerer(),
    answers: config.answers,
  };
}
