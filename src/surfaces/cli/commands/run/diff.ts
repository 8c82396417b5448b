import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffDocument } from '../../../../app/runs/run-document.ts';
import { locateWorkspace } from '../../../../runtime/record/recorded-run.ts';
import { escapeUnsafe } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openRun } from '../../open.ts';
import { diffStatLines } from '../../output/diff-stat.ts';

/** Prints the changes from the base to the last recorded tree of the run. Reads git objects, not the worktree. */
export async function diff(
  context: CommandContext,
  runRef: string,
  { statOnly, raw }: { readonly statOnly: boolean; readonly raw: boolean },
): Promise<ExitCode> {
  if (raw && context.terminal.isOut)
    throw new CliError(
      '--raw would write control sequences to the terminal',
      'write to a file or a pipe: conductor diff RUN --raw > change.patch',
    );
  const { view, record } = await openRun(context, runRef);
  const { deps, repoRoot } = await openProject(context);
  const workspace = locateWorkspace(view, record.directory, { repoRoot, workspace: deps.workspace });
  const folder = await mkdtemp(join(tmpdir(), 'conductor-diff-'));
  try {
    const path = join(folder, 'diff.patch');
    const from = view.started.base_tree;
    const to = view.headSha ?? view.state.tree ?? from;
    const changes = await deps.workspace.diff(workspace, from, to, path);
    if (context.json) printJson(context, { run_id: view.runId, ...diffDocument(changes) });
    else if (statOnly) context.terminal.out(`${diffStatLines(changes).join('\n')}\n`);
    else printPatch(context, await readFile(path), raw);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return EXIT.success;
}

function printPatch({ terminal }: CommandContext, patch: Buffer, raw: boolean): void {
  const text = escapeUnsafe(patch.toString('utf8'));
  terminal.out(raw ? patch : text);
  if (!raw && !terminal.isOut && !patch.equals(Buffer.from(text)))
    terminal.err('control characters in the patch are escaped; --raw writes the patch as it is\n');
}
