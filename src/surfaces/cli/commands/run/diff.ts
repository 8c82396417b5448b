import { fetchRun } from '../../../../app/engine/follow-run.ts';
import { diffDocument } from '../../../../app/runs/run-document.ts';
import { escapeUnsafe } from '../../../../text/outside-text.ts';
import { CliError } from '../../cli-error.ts';
import { type CommandContext, printJson } from '../../command-context.ts';
import { readRunPatch } from '../../driving/run-patch.ts';
import { EXIT, type ExitCode } from '../../exit-codes.ts';
import { openProject, openRun } from '../../open.ts';
import { diffStatLines } from '../../output/diff-stat.ts';
import { paintPatch } from '../../output/patch-text.ts';

/** Prints the changes from the base to the last recorded tree of the run. Reads git objects, not the checkout. */
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
  const project = await openProject(context);
  await fetchRun(project, view.runId);
  const to = view.headSha ?? view.state.tree ?? view.started.base_tree;
  const { changes, patch } = await readRunPatch(project, { view, directory: record.directory }, to);
  if (context.json) printJson(context, { run_id: view.runId, ...diffDocument(changes) });
  else if (statOnly) context.terminal.out(`${diffStatLines(changes).join('\n')}\n`);
  else await printPatch(context, patch, raw);
  return EXIT.success;
}

async function printPatch({ terminal }: CommandContext, patch: Buffer, raw: boolean): Promise<void> {
  if (raw) return terminal.out(patch);
  const text = escapeUnsafe(patch.toString('utf8'));
  await terminal.page(paintPatch(terminal.paintOut, text));
  if (!terminal.isOut && !patch.equals(Buffer.from(text)))
    terminal.err('control characters in the patch are escaped; --raw writes the patch as it is\n');
}
