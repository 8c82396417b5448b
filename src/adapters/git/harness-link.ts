import { mkdir, mkdtemp, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindOf } from './file-kind.ts';
import { GitError } from './git-command.ts';

/** The one folder of a worktree that no diff, snapshot or restore looks at. */
export const RUN_FOLDER = '.tnh/run';

/** Everything in the worktree but the run folder. */
export const TRACKED_PATHSPEC = ['--', '.', `:(exclude)${RUN_FOLDER}`];

const DISPLACED = 'displaced-';

/** Makes `.tnh/run/<run>/harness` of the worktree lead to the run's harness folder. */
export async function ensureHarnessLink(
  worktreePath: string,
  runId: string,
  harnessDir: string,
): Promise<void> {
  const folder = await ensureRunFolder(worktreePath, runId);
  const link = join(folder, 'harness');
  const kind = await kindOf(link);
  if (kind === 'link' && (await readlink(link)) === harnessDir) return;
  if (kind === 'folder') await displace(worktreePath, runId, link);
  else await rm(link, { force: true });
  await symlink(harnessDir, link);
}

/** Moves something out of the way without losing it: it stays in the run folder of the worktree. */
export async function displace(worktreePath: string, runId: string, path: string | Buffer): Promise<void> {
  const folder = await ensureRunFolder(worktreePath, runId);
  const shelter = await mkdtemp(join(folder, DISPLACED));
  await rename(path, join(shelter, 'content'));
}

/** The shelters of all that was moved out of the way. */
export async function displacedFolders(worktreePath: string, runId: string): Promise<readonly string[]> {
  const folder = join(worktreePath, RUN_FOLDER, runId);
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => name.startsWith(DISPLACED)).map((name) => join(folder, name));
}

async function ensureRunFolder(worktreePath: string, runId: string): Promise<string> {
  const top = join(worktreePath, '.tnh');
  const kind = await kindOf(top);
  if (kind === 'link' || kind === 'other') {
    throw new GitError([], null, `${top} is in the way: it is not a folder`);
  }
  await mkdir(top, { recursive: true });
  const runs = await ensureRealFolder(join(worktreePath, RUN_FOLDER));
  const ignore = join(runs, '.gitignore');
  if ((await kindOf(ignore)) === 'missing') await writeFile(ignore, '*\n');
  return ensureRealFolder(join(runs, runId));
}

/** A link here could lead our writes anywhere, so a link is replaced and never followed. */
async function ensureRealFolder(path: string): Promise<string> {
  const kind = await kindOf(path);
  if (kind === 'link' || kind === 'other') await rm(path);
  if (kind !== 'folder') await mkdir(path);
  return path;
}
