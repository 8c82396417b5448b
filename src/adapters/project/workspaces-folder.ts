import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256Hex } from '../../node/sha256.ts';
import { isPathInside } from '../../text/paths.ts';

export interface WorkspacesRequest {
  readonly repoRoot: string;
  /** The folder that all worktrees of the repository share. */
  readonly gitDir: string;
  /** The main checkout of the repository and its linked worktrees. */
  readonly checkouts: readonly string[];
  /** `paths.workspaces` of the configuration. */
  readonly configured: string | null;
  /** The user's state folder of conductor, for a configuration that names no other. */
  readonly stateFolder: string;
  readonly home: string | undefined;
}

export type WorkspacesFolder =
  /** `folder` contains everything of this repository: workspaces by run id, cached setups, reserved ports. */
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly message: string; readonly help: string };

/** Length of the hash that tells repositories of the same name apart. */
const HASH_LENGTH = 12;

/**
 * Returns the folder for the workspaces of a repository: `<state folder>/<name>-<hash>`. Refuses a folder
 * inside the repository, because Node, pytest and other programs would find the packages and tests of the
 * user's checkout from it.
 */
export async function resolveWorkspacesFolder(request: WorkspacesRequest): Promise<WorkspacesFolder> {
  const { configured, stateFolder } = request;
  const root = await realPathOf(request.repoRoot);
  const gitDir = await realPathOf(request.gitDir);
  const base = await realPathOf(
    configured === null ? stateFolder : resolve(root, expandHome(configured, request.home)),
  );
  const checkouts = await Promise.all(request.checkouts.map(realPathOf));
  const around = [root, gitDir, ...checkouts].find((folder) => isPathInside(folder, base));
  if (around !== undefined)
    return {
      ok: false,
      message: `the workspaces in ${base} are inside the repository ${around}: programs there would find its packages and its tests`,
      help: `set paths.workspaces in the configuration to a folder outside, such as ${exampleOutside(around, request.home)}`,
    };
  const hash = sha256Hex(gitDir).slice(0, HASH_LENGTH);
  return { ok: true, folder: join(base, `${repositoryName(gitDir)}-${hash}`) };
}

/** A home folder may be a repository itself. */
function exampleOutside(folder: string, home: string | undefined): string {
  return home === undefined || isPathInside(folder, home) ? '/var/tmp/conductor' : '~/conductor';
}

/** `shop` for `/src/me/shop/.git` and for `/srv/shop.git`, restricted to characters that are safe in a file name. */
function repositoryName(gitDir: string): string {
  const name = basename(gitDir) === '.git' ? basename(dirname(gitDir)) : basename(gitDir, '.git');
  return name.replace(/[^\w.-]+/gu, '_').replace(/^\.+/, '') || 'repository';
}

function expandHome(path: string, home: string | undefined): string {
  return home !== undefined && /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path;
}

/** The path with links resolved, as far as it exists. */
async function realPathOf(path: string): Promise<string> {
  const full = resolve(path);
  const real = await realpath(full).catch(() => null);
  if (real !== null) return real;
  const parent = dirname(full);
  return parent === full ? full : join(await realPathOf(parent), basename(full));
}
