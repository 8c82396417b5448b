import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { createWorkDatabase } from '../../src/adapters/work-local/database.ts';
import { createLocalJournal } from '../../src/adapters/work-local/journal.ts';
import { createLocalProvider } from '../../src/adapters/work-local/local-provider.ts';
import { createItemRevisions } from '../../src/adapters/workspace/items/item-revisions.ts';
import type { Pipeline } from '../../src/contracts/work/work-item.ts';
import type { WorkJournal } from '../../src/ports/work/work-journal.ts';
import type { WorkProvider } from '../../src/ports/work/work-provider.ts';
import { type GitRepo, type GitRepoOptions, makeRepo } from '../../testing/git-repo.ts';

export const AT = '2026-01-02T03:04:05.000Z';
const PASSED: Pipeline = { status: 'success', url: null, reason: null };

export async function workRepo(
  options: GitRepoOptions = { files: { 'file.txt': 'start\n' } },
): Promise<GitRepo> {
  const repo = await makeRepo(options);
  onTestFinished(repo.cleanup);
  return repo;
}

export function databaseFile(repo: GitRepo): string {
  return join(repo.root, '.tnh/work/items.db');
}

/** The places of a repository with its own git folder; workspaces are beside it. */
export function placesBeside({ root }: GitRepo) {
  return { repoRoot: root, gitDir: join(root, '.git'), workspacesDir: join(dirname(root), 'workspaces') };
}

/** A connection of its own, as another process would have. */
export function openProvider(
  repo: GitRepo,
  check: () => Promise<Pipeline | null> = async () => PASSED,
): WorkProvider {
  const provider = createLocalProvider({
    database: createWorkDatabase(databaseFile(repo)),
    revisions: createItemRevisions(placesBeside(repo)),
    check,
  });
  onTestFinished(provider.close);
  return provider;
}

export function openJournal(repo: GitRepo): WorkJournal {
  const journal = createLocalJournal({
    database: createWorkDatabase(databaseFile(repo)),
    clock: systemClock,
  });
  onTestFinished(journal.close);
  return journal;
}

export async function headOf(repo: GitRepo, revision = 'main'): Promise<string> {
  return (await repo.git('rev-parse', '--verify', revision)).trim();
}

/** The patch of whatever `change` does in a checkout of its own, on the head of main. */
export async function patchBy(
  repo: GitRepo,
  change: (write: (path: string, text: string | Uint8Array) => Promise<void>, root: string) => Promise<void>,
): Promise<{ readonly base: string; readonly patch: string }> {
  const base = await headOf(repo);
  const scratch = await makeRepo({ commit: false, name: 'scratch' });
  try {
    await scratch.git('fetch', '--quiet', repo.root, base);
    await scratch.git('reset', '--quiet', '--hard', base);
    await change(scratch.write, scratch.root);
    await scratch.git('add', '--all');
    return { base, patch: await scratch.git('diff', '--cached', '--binary', '--full-index', '-M', base) };
  } finally {
    await scratch.cleanup();
  }
}

/** What `patchBy` makes of one file. */
export function patchOf(repo: GitRepo, text: string, path = 'file.txt') {
  return patchBy(repo, (write) => write(path, text));
}

export function revisionRequest(itemId: string, patch: { readonly base: string; readonly patch: string }) {
  return {
    itemId,
    ...patch,
    title: 'Title',
    message: 'What was done',
    body: 'Body',
    author: 'implementor',
    at: AT,
  };
}
