import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenProject } from '../../../app/opened.ts';
import type { WorkspaceDiff } from '../../../contracts/run/workspace-change.ts';
import type { RunDirectory } from '../../../ports/run-store.ts';
import { locateWorkspace } from '../../../runtime/record/recorded-run.ts';
import type { RunView } from '../../../runtime/record/run-view.ts';
import { escapeUnsafe } from '../../../text/outside-text.ts';
import { paintPatch } from '../output/patch-text.ts';
import type { Paint } from '../output/terminal.ts';

interface RecordedRun {
  readonly view: RunView;
  readonly directory: RunDirectory;
}

/** The changes of a run from its base to a tree, and their patch. Reads git objects, not the checkout. */
export async function readRunPatch(
  { deps, repoRoot }: OpenProject,
  { view, directory }: RecordedRun,
  to: string,
): Promise<{ readonly changes: WorkspaceDiff; readonly patch: Buffer }> {
  const workspace = locateWorkspace(view, directory, { repoRoot, workspace: deps.workspace });
  const folder = await mkdtemp(join(tmpdir(), 'conductor-diff-'));
  try {
    const path = join(folder, 'diff.patch');
    const changes = await deps.workspace.diff(workspace, view.started.base_tree, to, path);
    return { changes, patch: await readFile(path) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The patch of `readRunPatch` for a terminal: neutralised, then coloured. */
export async function paintedPatch(
  project: OpenProject,
  run: RecordedRun,
  to: string,
  paint: Paint,
): Promise<string> {
  const { patch } = await readRunPatch(project, run, to);
  return patch.length === 0 ? 'no changes\n' : paintPatch(paint, escapeUnsafe(patch.toString('utf8')));
}
