import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { createEmbeddedEngine } from '../adapters/run-store/embedded-engine.ts';
import { createSummaryCache } from '../adapters/run-store/summary-cache.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { stateFolderOf } from '../adapters/system/credential-waits.ts';
import { createReportMemory } from '../adapters/system/report-memory.ts';
import { readGitUserName } from '../adapters/workspace/git/probe.ts';
import type { Records } from '../app/opened.ts';
import type { Config } from '../contracts/config/config.ts';

export function createRecords(repoRoot: string, config: Config): Records {
  const runsDir = resolve(repoRoot, config.paths.runs);
  return {
    repoRoot,
    clock: systemClock,
    store: createEmbeddedEngine({
      repoRoot,
      runsDir,
      clock: systemClock,
      onCreated: () => createReportMemory(stateFolderOf(process.env)).addRepository(repoRoot),
    }),
    summaries: createSummaryCache(runsDir),
    userName: async () => (await readGitUserName(repoRoot)) ?? userInfo().username,
    answerer: async () => findAnswerer(),
    answers: config.answers,
  };
}
