import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { findAnswerer } from '../adapters/process/answerer.ts';
import { createRunStore } from '../adapters/run-store/run-store.ts';
import { systemClock } from '../adapters/system/clock.ts';
import type { Records } from '../app/services.ts';
import type { Config } from '../contracts/config/config.ts';

export function createRecords(repoRoot: string, config: Config): Records {
  return {
    repoRoot,
    clock: systemClock,
    store: createRunStore({ repoRoot, runsDir: resolve(repoRoot, config.paths.runs), clock: systemClock }),
    userName: () => userName(repoRoot),
    answerer: async () => findAnswerer(),
    answers: config.answers,
  };
}

/** The name git would put on a commit, else the login name. */
async function userName(repoRoot: string): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['config', 'user.name'], { cwd: repoRoot });
    if (stdout.trim() !== '') return stdout.trim();
  } catch {
    // Git exits with 1 when no name is set.
  }
  return userInfo().username;
}
