import type { RunWorkspace, Workspace } from './workspace/workspace.ts';

/** Reads the trees of runs from git, as long as their objects exist. Fails with an `ExpectedFailure` once they don't. */
export interface RunObjects {
  readonly workspace: Pick<Workspace, 'describe'>;
  /** Writes the patch between two trees into a file, unless it is still there from an earlier call. */
  readonly writePatch: (workspace: RunWorkspace, fromTree: string, toTree: string) => Promise<PatchFile>;
  /** A file of a commit or tree, by its object id; null if it is missing or too large to be shown. */
  readonly readFile: (workspace: RunWorkspace, objectId: string, path: string) => Promise<Uint8Array | null>;
  /** Removes the files that it wrote. */
  readonly close: () => Promise<void>;
}

export interface PatchFile {
  readonly folder: string;
  readonly name: string;
}
