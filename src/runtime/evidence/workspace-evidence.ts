import type { WorkspaceDiff } from '../../contracts/run/workspace-change.ts';
import { sha256Hex } from '../../node/sha256.ts';
import { formatDiffSummary } from '../../planner/summaries.ts';
import type { RunWorkspace, Workspace } from '../../ports/workspace/workspace.ts';

/** A step's changes, and how the whole checkout now differs from the base. */
export interface WorkspaceEvidence {
  readonly diff: WorkspaceDiff;
  readonly fingerprint: string;
  /** Formatted for the planner. */
  readonly summary: string;
}

export async function compareTrees(
  workspace: Workspace,
  run: RunWorkspace,
  trees: { readonly base: string; readonly before: string; readonly after: string },
  patchPath: string,
): Promise<WorkspaceEvidence> {
  const diff = await workspace.diff(run, trees.before, trees.after, patchPath);
  const whole = trees.before === trees.base ? diff : await workspace.diff(run, trees.base, trees.after);
  const fingerprint = fingerprintDiff(whole);
  return { diff, fingerprint, summary: formatDiffSummary({ ...diff, fingerprint }) };
}

/** Hashes path, blob id and mode of each changed file: the same content gives the same fingerprint. */
export function fingerprintDiff(diff: WorkspaceDiff): string {
  const lines = diff.files.map((file) => `${file.path}\0${file.blob}\0${file.newMode}\n`);
  return sha256Hex(lines.join('')).slice(0, 16);
}
