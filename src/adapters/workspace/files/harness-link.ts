import { mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf } from '../git/file-kind.ts';
import { GitError } from '../git/git-command.ts';
import type { RunRepository } from '../repository/run-repository.ts';
import { displace } from './displaced.ts';

/** The folder of a checkout that diffs, snapshots and restores exclude. */
export const RUN_FOLDER = '.tnh/run';

/** Everything in a checkout except the run folder. */
export const TRACKED_PATHSPEC = ['--', '.', `:(exclude)${RUN_FOLDER}`];

/** Links `.tnh/run/<run>/harness` of a checkout to the run's harness folder. */
export async function ensureHarnessLink(repository: RunRepository, checkout: string): Promise<void> {
  const { runId, harnessDir } = repository.workspace;
  const link = join(await ensureRunFolder(checkout, runId), 'harness');
  const kind = await kindOf(link);
  if (kind === 'link' && (await readlink(link)) === harnessDir) return;
  // Keep a folder: an agent that replaced the link may have written its harness into it.
  if (kind === 'folder') await displace(repository, link);
  else await rm(link, { force: true });
  await symlink(harnessDir, link);
}

async function ensureRunFolder(checkout: string, runId: string): Promise<string> {
  const top = join(checkout, '.tnh');
  const kind = await kindOf(top);
  if (kind === 'link' || kind === 'other')
    throw new GitError([], null, `${top} is not a folder; conductor needs it for the run's harness`);
  await mkdir(top, { recursive: true });
  const runs = await ensureRealFolder(join(checkout, RUN_FOLDER));
  const ignore = join(runs, '.gitignore');
  if ((await kindOf(ignore)) === 'missing') await writeFile(ignore, '*\n');
  return ensureRealFolder(join(runs, runId));
}

/** Replaces a link with a folder: conductor writes here and must not follow a link elsewhere. */
async function ensureRealFolder(path: string): Promise<string> {
  const kind = await kindOf(path);
  if (kind === 'link' || kind === 'other') await rm(path);
  if (kind !== 'folder') await mkdir(path);
  return path;
}
