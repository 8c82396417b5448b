import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createIntentFile } from '../../../src/adapters/forge/intent-journal.ts';
import { openGitHub, PEOPLE_RESERVE } from '../../../src/adapters/forge-github/open-github.ts';
import { createGitHubProvider } from '../../../src/adapters/work-github/github-provider.ts';
import { createMemoryFile } from '../../../src/adapters/work-github/memory.ts';
import { readRevisionPipeline } from '../../../src/adapters/work-github/revision-checks.ts';
import { createWorkDatabase } from '../../../src/adapters/work-local/database.ts';
import { createLocalProvider } from '../../../src/adapters/work-local/local-provider.ts';
import { createItemBranches } from '../../../src/adapters/workspace/items/item-branches.ts';
import { createItemRevisions } from '../../../src/adapters/workspace/items/item-revisions.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { ItemBranches } from '../../../src/ports/work/item-branches.ts';
import type { WorkProvider } from '../../../src/ports/work/work-provider.ts';
import type { GitRepo } from '../../../testing/git-repo.ts';
import { createGitHubDouble, type GitHubDouble } from '../../../testing/github/github-double.ts';
import { databaseFile, placesBeside, workRepo } from '../work-local-fixture.ts';

export const FULL_NAME = 'octo/shop';
const HALF_MINUTE_MS = 30_000;
const START = Date.parse('2026-01-01T00:00:00Z');

export interface WorkScene {
  readonly double: GitHubDouble;
  readonly repo: GitRepo;
  readonly clock: Clock;
  /** A provider of its own, as another process would have. It acts as `conductor-bot`. */
  readonly open: (pollMs?: number, branches?: ItemBranches) => Promise<WorkProvider>;
  /** What the checks of a pull request say while the provider waits for them. */
  /** What happens in each half minute that the provider waits for checks; the checks run by default. */
  readonly setOnWait: (act: () => Promise<void>) => void;
  readonly setChecks: (state: 'success' | 'failure' | 'none') => void;
  readonly as: (login: string, method: string, path: string, body?: unknown) => Promise<unknown>;
}

/** A repository with GitHub on loopback, whose clock moves when conductor waits, and whose checks run meanwhile. */
export async function openWorkScene(
  options: Parameters<typeof createGitHubDouble>[0] = {},
): Promise<WorkScene> {
  const repo = await workRepo();
  const double = await createGitHubDouble({ startAt: START, ...options });
  onTestFinished(double.close);
  for (const login of ['octo', 'conductor-bot', 'mia', 'stranger']) double.addUser({ login });
  await double.addRepository({
    fullName: FULL_NAME,
    collaborators: { 'conductor-bot': 'write', mia: 'write' },
    from: repo.root,
  });
  const as: WorkScene['as'] = (login, method, path, body) =>
    double.as(login, method, `/repos/${FULL_NAME}${path}`, body);
  let checks: Parameters<WorkScene['setChecks']>[0] = 'success';
  const checked = new Set<string>();
  const runChecks = async () => {
    for (const { headSha } of double.findRepository(FULL_NAME).pulls.values()) {
      if (checks === 'none' || checked.has(headSha)) continue;
      checked.add(headSha);
      await as('octo', 'POST', `/statuses/${headSha}`, { state: checks, context: 'ci' });
    }
  };
  let onWait = runChecks;
  const clock: Clock = {
    now: () => new Date(double.now()),
    sleep: async (ms) => {
      // A shorter one is the pause between two writes.
      if (ms < 2_000) double.advance(ms);
      for (let left = ms; left >= 2_000; left -= HALF_MINUTE_MS) {
        double.advance(Math.min(left, HALF_MINUTE_MS));
        await onWait();
      }
    },
  };
  const open: WorkScene['open'] = async (pollMs = 0, branches) => {
    const forge = await openGitHub({
      host: new URL(double.url).host,
      baseUrl: double.url,
      fullName: FULL_NAME,
      tokenEnv: 'TEST_TOKEN',
      variable: (name) => (name === 'TEST_TOKEN' ? double.tokenOf('conductor-bot') : null),
      clock,
      signal: new AbortController().signal,
      reserve: PEOPLE_RESERVE,
      retryBaseMs: 0,
    });
    const folder = dirname(databaseFile(repo));
    const memory = createMemoryFile(join(folder, 'github.json'));
    const local = createLocalProvider({
      database: createWorkDatabase(databaseFile(repo)),
      revisions: createItemRevisions(placesBeside(repo)),
      check: (revision) => readRevisionPipeline({ forge, memory, clock }, revision),
    });
    const provider = createGitHubProvider({
      forge,
      memory,
      local,
      clock,
      pollMs,
      intents: createIntentFile(join(folder, 'github-writes.ndjson'), clock.now),
      branches: branches ?? createItemBranches({ repoRoot: repo.root, branch: null, forge }),
    });
    onTestFinished(provider.close);
    return provider;
  };
  return {
    double,
    repo,
    clock,
    open,
    setOnWait: (act) => {
      onWait = act;
    },
    setChecks: (state) => {
      checks = state;
    },
    as,
  };
}
