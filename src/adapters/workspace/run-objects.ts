import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunObjects } from '../../ports/run-objects.ts';
import { createDiffMemory } from './files/tree-diff.ts';
import { createGit } from './git/git-command.ts';
import { readObjects } from './git/read-objects.ts';
import { describeWorkspace } from './repository/create.ts';
import { locateObjects } from './repository/locate-objects.ts';
import type { UserRepository } from './repository/run-repository.ts';

/** Larger files are not shown: a golden picture is far smaller. */
const MAX_FILE_BYTES = 32 * 1024 ** 2;
/** Patches of unfinished runs; those of ended ones are in their records. */
const MAX_PATCHES = 8;
const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

export function createRunObjects(user: UserRepository): RunObjects {
  const diffs = createDiffMemory();
  let folder: Promise<string> | null = null;
  const written = new Map<string, Promise<unknown>>();
  return {
    workspace: { describe: (request) => describeWorkspace(user, request) },
    writePatch: async (workspace, fromTree, toTree) => {
      folder ??= mkdtemp(join(tmpdir(), 'conductor-page-'));
      const place = { folder: await folder, name: `${workspace.runId}-${fromTree}-${toTree}.patch` };
      const write = async () => {
        const { gitDir } = await locateObjects(user, workspace);
        const patchPath = join(place.folder, place.name);
        await diffs({
          runId: workspace.runId,
          gitDir,
          baseTree: null,
          fromTree,
          toTree,
          patchPath,
          signal: user.signal,
        });
      };
      const writing = written.get(place.name) ?? write();
      written.delete(place.name);
      written.set(place.name, writing);
      await writing.catch((error: unknown) => {
        written.delete(place.name);
        throw error;
      });
      const [oldest] = written.keys();
      if (written.size > MAX_PATCHES && oldest !== undefined) {
        written.delete(oldest);
        await rm(join(place.folder, oldest), { force: true });
      }
      return place;
    },
    readFile: async (workspace, objectId, path) => {
      if (!OBJECT_ID.test(objectId)) return null;
      const { gitDir } = await locateObjects(user, workspace);
      const git = createGit({ cwd: user.repoRoot, env: { GIT_DIR: gitDir } });
      const [found] = await readObjects(git, [`${objectId}:${path}`], MAX_FILE_BYTES);
      return found?.kind === 'blob' ? found.content : null;
    },
    close: async () => {
      if (folder !== null) await rm(await folder, { recursive: true, force: true });
    },
  };
}
