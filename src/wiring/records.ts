import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { createRunStore } from '../adapters/run-store/run-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { readGitUserName } from '../adapters/workspace/git/probe.ts';
import type { Records } from '../app/opened.ts';
import type { Config } from '../contracts/config/config.ts';

export function createRecords(repoRoot: string, config: Config): Records {
  return {
    repoRoot,
    clock: systemClock,
    store: createRunStore({ repoRoot, runsDir: resolve(repoRoot, config.paths.runs), clock: systemClock }),
    userName: async () => (await readGitUserName(repoRoot)) ?? userInfo().username,
    answerer: async () => findAnswerer(),
    answers: config.answers,
  };
}
